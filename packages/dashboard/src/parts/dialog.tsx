import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { text } from '../text/text.ts';

interface DialogButtonProps {
  readonly label: ComponentChildren;
  /** For screen readers, where several have the same label. */
  readonly name?: string;
  readonly class?: string;
  readonly title: string;
  /** What the dialog contains, which can close it. */
  readonly content: (close: () => void) => ComponentChildren;
}

/**
 * A button that opens a modal dialog; the focus returns to the button. The content is rendered only while the dialog is open.
 * The keyboard and a press outside close it, but not the second of a double click on the button.
 */
export function DialogButton({ label, name, class: more, title, content }: DialogButtonProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = useSignal(false);
  const id = useId();
  const close = () => {
    isOpen.value = false;
  };
  useEffect(() => {
    if (isOpen.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen.value]);
  return (
    <>
      <button
        type="button"
        class={more}
        aria-label={name}
        onClick={() => {
          isOpen.value = true;
        }}
      >
        {label}
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the key is Escape, which the browser handles */}
      <dialog
        ref={dialog}
        aria-labelledby={id}
        onClose={close}
        onClick={({ target, detail }) => target === dialog.current && detail < 2 && close()}
      >
        {isOpen.value && (
          <div class="inside">
            <h2 id={id}>{title}</h2>
            {content(close)}
          </div>
        )}
      </dialog>
    </>
  );
}

interface ConfirmedButtonProps {
  readonly label: string;
  readonly class: string;
  readonly question: string;
  readonly onConfirm: () => void;
}

/** A button for what cannot be undone: it asks first. */
export function ConfirmedButton({ label, class: name, question, onConfirm }: ConfirmedButtonProps) {
  return (
    <DialogButton
      label={label}
      class={name}
      title={question}
      content={(close) => (
        <div class="actions">
          <button type="button" onClick={close}>
            {text.cancel}
          </button>
          <button
            type="button"
            class="danger"
            onClick={() => {
              close();
              onConfirm();
            }}
          >
            {label}
          </button>
        </div>
      )}
    />
  );
}
