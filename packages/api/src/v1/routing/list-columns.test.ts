import { expect, test } from 'vitest';
import { csvOf } from './list-columns.ts';

test('lets other requests be answered while it writes many items as CSV', async () => {
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  const columns = [
    { title: 'n', kind: 'integer' },
    { title: 'inner.text', kind: 'text' },
  ] as const;
  const items = Array.from({ length: 5_000 }, (_, n) => ({ n, inner: { text: '=x' } }));
  const csv = await csvOf(columns, items, false);
  clearImmediate(next);
  expect(turns).toBeGreaterThanOrEqual(8);
  expect(csv).toBe(`n,inner.text\r\n${items.map(({ n }) => `${n},'=x\r\n`).join('')}`);
});
