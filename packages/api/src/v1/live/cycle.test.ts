import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Cycle } from './cycle.ts';

/** A cycle whose timer and work end when the test says so. */
function controlled() {
  const timers = new Set<() => void>();
  const works: ((failure?: Error) => void)[] = [];
  const errors: unknown[] = [];
  const cycle = new Cycle({
    interval: 1_000,
    work: () =>
      new Promise((resolve, reject) => {
        works.push((failure) => (failure ? reject(failure) : resolve()));
      }),
    onError: (error) => errors.push(error),
    setTimer: (_, run) => {
      timers.add(run);
      return () => timers.delete(run);
    },
  });
  const does = {
    start: async () => cycle.start(),
    stop: async () => cycle.stop(),
    elapsed: async () => {
      const [run] = timers;
      if (run) timers.delete(run);
      run?.();
    },
    finished: async () => {
      works.shift()?.();
      await new Promise(setImmediate);
    },
    failed: async () => {
      works.shift()?.(new Error('refused'));
      await new Promise(setImmediate);
    },
  };
  return { cycle, timers, works, errors, does };
}

test('works or waits while it is started, in any order of events', async () => {
  const event = fc.constantFrom('start', 'stop', 'elapsed', 'finished', 'failed');
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 12 }), async (order) => {
      const { timers, works, does } = controlled();
      let isWanted = false;
      for (const one of order) {
        await does[one]();
        if (one === 'start' || one === 'stop') isWanted = one === 'start';
        expect(works.length + timers.size).toBeLessThanOrEqual(1);
        if (isWanted) expect(works.length + timers.size).toBe(1);
        else expect(timers.size).toBe(0);
      }
    }),
    { numRuns: 500 },
  );
});
