import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

interface FormProps {
  readonly onSubmit: (given: FormData) => void;
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** Fields that the page itself sends. */
export function Form({ onSubmit, class: name = 'stack', children }: FormProps) {
  return (
    <form
      class={name}
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
  readonly is: 'idle' | 'sending' | 'done' | 'failed';
  readonly problem?: string;
}

/**
 * Sends what the user has entered, one request at a time. `problem` is why the last one failed, in the words of `whyNot`, until
 * the next is sent.
 */
export function useSending(whyNot: (error: unknown) => string) {
  const state = useSignal<Sending>({ is: 'idle' });
  const send = async (request: () => Promise<unknown>) => {
    if (state.value.is === 'sending') return;
    state.value = { is: 'sending' };
    try {
      await request();
      state.value = { is: 'done' };
    } catch (error) {
      state.value = { is: 'failed', problem: whyNot(error) };
    }
  };
  const { is, problem } = state.value;
  return { isSending: is === 'sending', isDone: is === 'done', problem, send };
}
