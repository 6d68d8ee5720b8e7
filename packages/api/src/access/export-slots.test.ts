import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ExportSlots, type Holder } from './export-slots.ts';

const { signal } = new AbortController();

/** A credential of a company of its own, or of one that has others. */
function of(credentialId: number, companyId = credentialId): Holder {
  return { companyId, credentialId };
}

test('grants slots up to the limit, and then in the order of requests', async () => {
  const slots = new ExportSlots({ all: 2, perCredential: 2, maxWait: 10_000 });
  const first = await slots.acquire(of(1), signal);
  const second = await slots.acquire(of(2), signal);
  const order: string[] = [];
  const takeAs = async (name: string) => {
    const slot = await slots.acquire(of(3), signal);
    order.push(name);
    return slot;
  };
  const third = takeAs('third');
  const fourth = takeAs('fourth');

  second[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  (await fourth)[Symbol.dispose]();
  first[Symbol.dispose]();

  expect(order).toEqual(['third', 'fourth']);
  expect(slots.load).toEqual({ running: 0, waiting: 0 });
});

test('grants a company half of the free slots, whatever its credentials, and others the rest', async () => {
  const slots = new ExportSlots({ all: 8, perCredential: 4, maxWait: 10_000 });
  const gone = new AbortController();
  const ask = (companyId: number) =>
    Array.from({ length: 8 }, (_, index) =>
      slots.acquire(of(10 * companyId + (index % 2), companyId), gone.signal),
    );
  const running: number[] = [];
  const asked: Promise<Disposable>[] = [];
  for (const companyId of [1, 2, 3, 4]) {
    asked.push(...ask(companyId));
    running.push(slots.load.running);
  }
  expect(running).toEqual([4, 6, 7, 8]);

  gone.abort(new Error('gone'));
  const settled = await Promise.allSettled(asked);
  for (const one of settled) if (one.status === 'fulfilled') one.value[Symbol.dispose]();
  expect(slots.load).toEqual({ running: 0, waiting: 0 });
});

test('grants a slot to the company with the fewest slots, also if another one waits for longer', async () => {
  const slots = new ExportSlots({ all: 4, perCredential: 4, maxWait: 10_000 });
  const first = await slots.acquire(of(1), signal);
  for (const company of [2, 3]) await slots.acquire(of(company), signal);
  const gone = new AbortController();
  const longer = slots.acquire(of(2), gone.signal);
  const shorter = slots.acquire(of(1), signal);
  first[Symbol.dispose]();
  await shorter;
  expect(slots.load).toEqual({ running: 3, waiting: 1 });
  gone.abort(new Error('gone'));
  await expect(longer).rejects.toThrow('gone');
});

test('limits the slots of one credential', async () => {
  const slots = new ExportSlots({ all: 8, perCredential: 2, maxWait: 10_000 });
  await slots.acquire(of(11, 1), signal);
  await slots.acquire(of(11, 1), signal);
  const third = slots.acquire(of(11, 1), signal);
  expect(slots.load).toEqual({ running: 2, waiting: 1 });
  const other = await slots.acquire(of(12, 1), signal);
  other[Symbol.dispose]();
  expect(slots.load).toEqual({ running: 2, waiting: 1 });
  third.catch(() => {});
});

test('never lets a company without a slot wait while one is free', async () => {
  const step = fc.record({ companyId: fc.integer({ min: 1, max: 4 }), takes: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 9 }),
      async (steps, all) => {
        const slots = new ExportSlots({ all, perCredential: all, maxWait: 10_000 });
        const gone = new AbortController();
        const held: { companyId: number; slot: Disposable }[] = [];
        const waiting: number[] = [];
        for (const { companyId, takes } of steps) {
          if (takes) {
            waiting.push(companyId);
            slots.acquire(of(companyId), gone.signal).then(
              (slot) => {
                waiting.splice(waiting.indexOf(companyId), 1);
                held.push({ companyId, slot });
              },
              () => {},
            );
          } else {
            const index = held.findIndex((one) => one.companyId === companyId);
            if (index >= 0) held.splice(index, 1)[0]?.slot[Symbol.dispose]();
          }
          await new Promise(setImmediate);
          expect(held.length).toBeLessThanOrEqual(all);
          expect(slots.load).toEqual({ running: held.length, waiting: waiting.length });
          if (held.length === all) continue;
          for (const one of waiting) expect(held.some((other) => other.companyId === one)).toBe(true);
        }
        gone.abort();
        for (const { slot } of held) slot[Symbol.dispose]();
        expect(slots.load).toEqual({ running: 0, waiting: 0 });
      },
    ),
    { numRuns: 50 },
  );
});

test('rejects a request that waited too long with Retry-After, and removes it from the queue', async () => {
  const slots = new ExportSlots({ all: 1, perCredential: 1, maxWait: 5 });
  const slot = await slots.acquire(of(1), signal);

  await expect(slots.acquire(of(2), signal)).rejects.toMatchObject({
    code: 'too_many_exports',
    headers: { 'retry-after': '1' },
  });

  slot[Symbol.dispose]();
  (await slots.acquire(of(2), signal))[Symbol.dispose]();
});

test('removes a request from the queue when its caller disconnects', async () => {
  const slots = new ExportSlots({ all: 1, perCredential: 1, maxWait: 10_000 });
  const slot = await slots.acquire(of(1), signal);
  const gone = new AbortController();
  const before = slots.acquire(of(3), signal);
  const waiting = slots.acquire(of(2), gone.signal);
  gone.abort(new Error('gone'));

  await expect(waiting).rejects.toThrow('gone');
  expect(slots.load).toEqual({ running: 1, waiting: 1 });
  slot[Symbol.dispose]();
  (await before)[Symbol.dispose]();
  expect(slots.load).toEqual({ running: 0, waiting: 0 });
});
