import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { isRefused } from '../data/calls.ts';
import { text } from '../text/text.ts';

interface FormProps {
  readonly onSubmit: (given: FormData) => void;
  /** Called when the user enters something or presses a button. */
  readonly onTouch?: () => void;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** Fields that the page itself sends. */
export function Form({ onSubmit, onTouch, class: name = 'stack', children }: FormProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: clicks of the buttons in it, which have keys
    <form
      class={name}
      onInput={onTouch}
      onClick={onTouch}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(new FormData(event.currentTarget));
      }}
    >
      {children}
    </form>
  );
}

interface Sending {
  readonly state: 'idle' | 'sending' | 'done' | 'failed';
  readonly problem?: string;
}

/**
 * Sends what the user has entered, one request at a time. `problem` is why the last one failed, in the words of `whyNot`, until
 * the next is sent.
 */
export function useSending(whyNot = failure) {
  const sending = useSignal<Sending>({ state: 'idle' });
  const send = async (request: () => Promise<unknown>) => {
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
