import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { isRefused } from '../data/calls.ts';
import { text } from '../text/text.ts';
import { Notice } from './card.tsx';

interface FormProps {
  /** Sends what was entered. What it throws is why that failed. */
  readonly onSubmit: (given: FormData) => Promise<unknown>;
  /** On the button that submits, and while it is sent. */
  readonly submit: string;
  readonly busy?: string;
  /** Why sending failed. */
  readonly whyNot?: (error: unknown) => string;
  /** Why what was entered cannot be used, or was not sent. */
  readonly problem?: string | undefined;
  readonly canSubmit?: boolean;
  /** Shown after sending, until the user enters something or presses a button. */
  readonly done?: string | undefined;
  readonly onCancel?: () => void;
  /** Other buttons, which can send something else. */
  readonly actions?: (send: Send) => ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** Fields that the page itself sends, why that failed, and buttons that submit and cancel. */
export function Form(props: FormProps) {
  const { onSubmit, submit, busy = text.saving, whyNot, canSubmit = true, done, onCancel, actions } = props;
  const { isSending, isDone, problem: failed, send, forget } = useSending(whyNot);
  const problem = props.problem ?? failed;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: clicks of the buttons in it, which have keys
    <form
      class={props.class ?? 'stack'}
      onInput={forget}
      onClick={forget}
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        void send(() => onSubmit(given));
      }}
    >
      {props.children}
      {problem && (
        <Notice tone="warn" role="alert">
          {problem}
        </Notice>
      )}
      <div class="actions">
        {actions?.(send)}
        {onCancel && (
          <button type="button" onClick={onCancel}>
            {text.cancel}
          </button>
        )}
        <button type="submit" class="primary" disabled={!canSubmit} aria-disabled={isSending}>
          {isSending ? busy : submit}
        </button>
        <small role="status">{isDone && done}</small>
      </div>
    </form>
  );
}

type Send = (request: () => Promise<unknown>) => Promise<void>;

interface Sending {
  readonly state: 'idle' | 'sending' | 'done' | 'failed';
  readonly problem?: string;
}

/**
 * Sends what the user has entered, one request at a time. `problem` is why the last one failed, in the words of `whyNot`, until
 * the next is sent.
 */
function useSending(whyNot = failure) {
  const sending = useSignal<Sending>({ state: 'idle' });
  const send: Send = async (request) => {
    if (sending.value.state === 'sending') return;
    sending.value = { state: 'sending' };
    try {
      await request();
      sending.value = { state: 'done' };
    } catch (error) {
      sending.value = { state: 'failed', problem: whyNot(error) };
    }
  };
  const { state, problem } = sending.value;
  /** No longer says that it is done. */
  const forget = () => {
    if (sending.value.state === 'done') sending.value = { state: 'idle' };
  };
  return { isSending: state === 'sending', isDone: state === 'done', problem, send, forget };
}

/** Why a request failed, where nothing more is known of it. */
function failure(error: unknown): string {
  return isRefused(error) ? text.refused : text.unreachable;
}
