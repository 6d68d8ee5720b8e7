import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Problem } from '../problems/problems.ts';
import { Places } from './places.ts';

const { signal } = new AbortController();
const refusal = () => new Problem('too_many_exports');

/** Places whose waiting requests wait for long. */
function places(all: number, waiting = 100): Places {
  return new Places({ all, waiting, maxWait: 10_000, refusal });
}

test('serves companies with as many places in turn, and the requests of each in their order', async () => {
  const some = places(3);
  const held = await Promise.all([1, 2, 3].map((companyId) => some.acquire(companyId, signal)));
  const order: string[] = [];
  const served = ['a1', 'a2', 'a3', 'b1', 'b2'].map(async (name) => {
    using _place = await some.acquire(name.startsWith('a') ? 4 : 5, signal);
    order.push(name);
  });
  held[0]?.[Symbol.dispose]();
  await Promise.all(served);
  expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  for (const place of held.slice(1)) place[Symbol.dispose]();
  expect(some.load).toEqual({ running: 0, waiting: 0 });
});

test('never lets a company without a place wait while one is free', async () => {
  const step = fc.record({ companyId: fc.integer({ min: 1, max: 4 }), takes: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 9 }),
      async (steps, all) => {
        const some = places(all);
        const gone = new AbortController();
        const held: { companyId: number; place: Disposable }[] = [];
        const waiting: number[] = [];
        for (const { companyId, takes } of steps) {
          if (takes) {
            waiting.push(companyId);
            some.acquire(companyId, gone.signal).then(
              (place) => {
                waiting.splice(waiting.indexOf(companyId), 1);
                held.push({ companyId, place });
              },
              () => {},
            );
          } else {
            const index = held.findIndex((one) => one.companyId === companyId);
            if (index >= 0) held.splice(index, 1)[0]?.place[Symbol.dispose]();
          }
          await new Promise(setImmediate);
          expect(held.length).toBeLessThanOrEqual(all);
          expect(some.load).toEqual({ running: held.length, waiting: waiting.length });
          if (held.length === all) continue;
          for (const one of waiting) expect(held.some((other) => other.companyId === one)).toBe(true);
        }
        gone.abort();
        for (const { place } of held) place[Symbol.dispose]();
        expect(some.load).toEqual({ running: 0, waiting: 0 });
      },
    ),
    { numRuns: 50 },
  );
});

test('removes a request from the queue when its caller disconnects', async () => {
  const some = places(1);
  const place = await some.acquire(1, signal);
  const gone = new AbortController();
  const before = some.acquire(3, signal);
  const waiting = some.acquire(2, gone.signal);
  gone.abort(new Error('gone'));

  await expect(waiting).rejects.toThrow('gone');
  expect(some.load).toEqual({ running: 1, waiting: 1 });
  place[Symbol.dispose]();
  (await before)[Symbol.dispose]();
  expect(some.load).toEqual({ running: 0, waiting: 0 });
});
