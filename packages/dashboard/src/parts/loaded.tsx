import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { text } from '../text/text.ts';

interface Loaded<Value> {
  /** Undefined before it is loaded. */
  readonly value?: Value;
  /** Whether the last attempt failed. */
  readonly failed: boolean;
}

/**
 * Loads a value now, when one of `keys` changes, and every `interval` ms if that is given. The old value remains until the
 * next one is loaded, also if loading fails.
 */
export function useLoaded<Value>(
  load: () => Promise<Value>,
  keys: readonly unknown[],
  interval?: number,
): Loaded<Value> & { readonly reload: () => void } {
  const loaded = useSignal<Loaded<Value>>({ failed: false });
  const turn = useSignal(0);
  useEffect(() => {
    let current = true;
    const run = async () => {
      const next = await load().then(
        (value) => ({ value, failed: false }),
        () => ({ ...loaded.value, failed: true }),
      );
      if (current) loaded.value = next;
    };
    void run();
    const timer = interval === undefined ? undefined : setInterval(run, interval);
    return () => {
      current = false;
      clearInterval(timer);
    };
  }, [...keys, turn.value]);
  return { ...loaded.value, reload: () => (turn.value += 1) };
}

/** An error message with a button that loads again. */
export function Failed({ again }: { readonly again: () => void }) {
  return (
    <div class="center" role="alert">
      <p>{text.failed}</p>
      <button type="button" onClick={again}>
        {text.again}
      </button>
    </div>
  );
}
