import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { text } from '../text/en.ts';

export type Loaded<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed' }
  | { readonly state: 'loaded'; readonly value: Value };

/**
 * Loads a value now, when one of `keys` changes, and every `interval` ms. The old value remains until the next one is
 * loaded, also if loading fails.
 */
export function useLoaded<Value>(
  load: () => Promise<Value>,
  keys: readonly unknown[],
  interval: number,
): Loaded<Value> & { readonly reload: () => void } {
  const loaded = useSignal<Loaded<Value>>({ state: 'loading' });
  const turn = useSignal(0);
  useEffect(() => {
    let current = true;
    const run = async () => {
      try {
        const value = await load();
        if (current) loaded.value = { state: 'loaded', value };
      } catch {
        if (current && loaded.value.state !== 'loaded') loaded.value = { state: 'failed' };
      }
    };
    void run();
    const timer = setInterval(run, interval);
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
