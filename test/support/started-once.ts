import { afterAll, beforeAll } from 'vitest';

/** Calls `end` when a started resource is no longer needed, the latest first. `onTestFinished` is an example. */
export type AtEnd = (end: () => Promise<void>) => void;

/** Starts something before the first test of a file, and ends it after the last one; returns a function that returns it. */
export function startedOnce<Started>(start: (atEnd: AtEnd) => Promise<Started>): () => Started {
  const ends = new AsyncDisposableStack();
  let started: { readonly value: Started } | undefined;
  beforeAll(async () => {
    started = { value: await start((end) => ends.defer(end)) };
  });
  afterAll(() => ends.disposeAsync());
  return () => {
    if (started === undefined) throw new Error('must be called in a test');
    return started.value;
  };
}
