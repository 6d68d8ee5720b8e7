import { expect, test } from 'vitest';
import { ExportSlots } from './export-slots.ts';

const { signal } = new AbortController();

test('lets so many in, and the next ones in the order of asking', async () => {
  const slots = new ExportSlots({ all: 2, perHolder: 2, patience: 10_000 });
  const first = await slots.take(1, signal);
  const second = await slots.take(2, signal);
  const order: string[] = [];
  const takeAs = async (name: string) => {
    const slot = await slots.take(3, signal);
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

test('lets nobody take all places, nor keep others waiting behind them', async () => {
  const slots = new ExportSlots({ all: 3, perHolder: 2, patience: 10_000 });
  const first = await slots.take(1, signal);
  await slots.take(1, signal);
  const third = slots.take(1, signal);
  await slots.take(2, signal);
  const other = slots.take(2, signal);
  expect(slots.load).toEqual({ running: 3, waiting: 2 });

  first[Symbol.dispose]();
  const slot = await third;
  expect(slots.load).toEqual({ running: 3, waiting: 1 });
  slot[Symbol.dispose]();
  await other;
  expect(slots.load).toEqual({ running: 3, waiting: 0 });
});

test('tells one that waited in vain when to come back, and forgets it', async () => {
  const slots = new ExportSlots({ all: 1, perHolder: 1, patience: 5 });
  const slot = await slots.take(1, signal);

  await expect(slots.take(2, signal)).rejects.toMatchObject({
    code: 'too_many_exports',
    headers: { 'retry-after': '1' },
  });

  slot[Symbol.dispose]();
  (await slots.take(2, signal))[Symbol.dispose]();
});

test('forgets one that is gone while it waits', async () => {
  const slots = new ExportSlots({ all: 1, perHolder: 1, patience: 10_000 });
  const slot = await slots.take(1, signal);
  const gone = new AbortController();
  const waiting = slots.take(2, gone.signal);
  gone.abort(new Error('gone'));

  await expect(waiting).rejects.toThrow('gone');
  expect(slots.load).toEqual({ running: 1, waiting: 0 });
  slot[Symbol.dispose]();
});
