import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  /** Called when it is closed by the keyboard, or by a press outside. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog; it returns the focus to where it was. Its content is rendered only while it is open. */
export function Dialog({ isOpen, title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    if (isOpen) element.current?.showModal();
    else element.current?.close();
  }, [isOpen]);
  const closeOutside = (event: MouseEvent) => {
    if (event.target === element.current) onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the key is Escape, which the browser handles
    <dialog ref={element} aria-labelledby={id} onClose={onClose} onClick={closeOutside}>
      {isOpen && (
        <div class="inside">
          <h2 id={id}>{title}</h2>
          {children}
        </div>
      )}
    </dialog>
  );
}
