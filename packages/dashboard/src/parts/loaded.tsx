import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { text } from '../text/text.ts';
import { Notice } from './card.tsx';

interface State<Value> {
  /** Undefined before it is loaded. */
  readonly value?: Value;
  /** Whether the last attempt failed. */
  readonly failed: boolean;
}

interface Loaded<Value> extends State<Value> {
  readonly reload: () => void;
}

/**
 * Loads a value now, when one of `keys` changes, and every `interval` ms if that is given. The old value remains until the
 * next one is loaded, also if loading fails. If one of `keys` changes, the value is another one, and a load in flight is
 * dropped. If one of `changes` changes, the value is loaded again after the load in flight: otherwise a busy store on a slow
 * network would never show one.
 */
export function useLoaded<Value>(
  load: () => Promise<Value>,
  keys: readonly unknown[],
  interval?: number,
  changes: readonly unknown[] = [],
): Loaded<Value> {
  const loaded = useSignal<State<Value>>({ failed: false });
  const latest = useRef(load);
  latest.current = load;
  const run = useRef(() => {});
  useEffect(() => {
    let isCurrent = true;
    run.current = oneAtATime(async () => {
      if (!isCurrent) return;
      const next = await latest.current().then(
        (value) => ({ value, failed: false }),
        () => ({ ...loaded.value, failed: true }),
      );
      if (isCurrent) loaded.value = next;
    });
    const timer = interval === undefined ? undefined : setInterval(run.current, interval);
    return () => {
      isCurrent = false;
      clearInterval(timer);
    };
  }, [...keys]);
  useEffect(() => run.current(), [...keys, ...changes]);
  return { ...loaded.value, reload: () => run.current() };
}

/**
 * Returns a function that starts a task, which must not reject. Only one run of the task is in flight: calls during a run
 * start one more run after it. So results arrive in order, and a task completes that takes longer than the pauses between the
 * calls.
 */
function oneAtATime(task: () => Promise<void>): () => void {
  let isRunning = false;
  let isCalledAgain = false;
  const run = async () => {
    isRunning = true;
    do {
      isCalledAgain = false;
      await task();
    } while (isCalledAgain);
    isRunning = false;
  };
  return () => {
    if (isRunning) isCalledAgain = true;
    else void run();
  };
}

/** In place of a value until it is loaded: that it is being loaded, or that this failed. */
export function Loading({ of: { value, failed, reload } }: { readonly of: Loaded<unknown> }) {
  if (value !== undefined) return null;
  return failed ? <Failed again={reload} /> : <p>{text.loading}</p>;
}

/** An error message with a button that loads again. */
export function Failed({ again }: { readonly again: () => void }) {
  return (
    <Notice tone="warn" role="alert">
      <div class="row spread">
        {text.failed}
        <button type="button" onClick={again}>
          {text.again}
        </button>
      </div>
    </Notice>
  );
}

/** A page that is loaded when the user first opens it, so that the other pages load sooner. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return (props) => {
    const { value: Page = loaded, failed } = useLoaded(async () => {
      loaded = await load();
      return loaded;
    }, []);
    if (Page) return <Page {...props} />;
    /* After an upgrade of the server the files have other names. */
    if (failed) return <Failed again={() => location.reload()} />;
    return <p class="center">{text.loading}</p>;
  };
}
