import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { text } from '../text/text.ts';
import { Form } from './form.tsx';

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

interface DialogButtonProps {
  readonly label: ComponentChildren;
  readonly class?: string;
  readonly title: string;
  /** What the dialog contains, which can close it. */
  readonly content: (close: () => void) => ComponentChildren;
}

/** A button that opens a dialog. */
export function DialogButton({ label, class: name, title, content }: DialogButtonProps) {
  const isOpen = useSignal(false);
  const close = () => {
    isOpen.value = false;
  };
  return (
    <>
      <button
        type="button"
        class={name}
        onClick={() => {
          isOpen.value = true;
        }}
      >
        {label}
      </button>
      <Dialog isOpen={isOpen.value} title={title} onClose={close}>
        {isOpen.value && content(close)}
      </Dialog>
    </>
  );
}

interface DialogFormProps {
  readonly onSubmit: (given: FormData) => void;
  readonly onCancel: () => void;
  /** On the button that submits. */
  readonly submit: string;
  readonly isBusy?: boolean;
  /** Other buttons. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The form of a dialog: fields, and buttons that submit and cancel. */
export function DialogForm({ onSubmit, onCancel, submit, isBusy, actions, children }: DialogFormProps) {
  return (
    <Form onSubmit={onSubmit}>
      {children}
      <div class="actions">
        {actions}
        <button type="button" onClick={onCancel}>
          {text.cancel}
        </button>
        <button type="submit" class="primary" disabled={isBusy}>
          {submit}
        </button>
      </div>
    </Form>
  );
}
