import { expect, test } from 'vitest';
import { ExportSlots } from './export-slots.ts';

test('lets so many in, and the next ones in the order of asking', async () => {
  const slots = new ExportSlots(2, 10_000);
  const first = await slots.take();
  const second = await slots.take();
  const order: string[] = [];
  const takeAs = async (name: string) => {
    const slot = await slots.take();
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
});

test('tells one that waited in vain when to come back, and forgets it', async () => {
  const slots = new ExportSlots(1, 5);
  const slot = await slots.take();

  await expect(slots.take()).rejects.toMatchObject({
    code: 'too_many_exports',
    headers: { 'retry-after': '1' },
  });

  slot[Symbol.dispose]();
  (await slots.take())[Symbol.dispose]();
});
