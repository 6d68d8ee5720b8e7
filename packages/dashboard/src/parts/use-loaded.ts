import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

export type Loaded<Value> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed' }
  | { readonly state: 'there'; readonly value: Value };

/**
 * Loads something now, whenever one of `keys` changes, and every `interval` ms. What was there stays while it
 * is loaded again, also when that fails.
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
        if (current) loaded.value = { state: 'there', value };
      } catch {
        if (current && loaded.value.state !== 'there') loaded.value = { state: 'failed' };
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
