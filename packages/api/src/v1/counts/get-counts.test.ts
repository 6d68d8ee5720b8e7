import { expect, test } from 'vitest';
import { berlinStore } from '../../../test/berlin-store.ts';

test('counts by hour in the time of the store, with the week before', async () => {
  const { ask } = await berlinStore();
  const { body } = await ask('/v1/counts?bucket=hour&compare=week');
  const { items } = Object(body);
  expect(items).toHaveLength(12);
  expect(items[9]).toEqual({
    ...{ store: 'S-1', date: '2026-11-20' },
    ...{ from: '2026-11-20T09:00:00.000+01:00', to: '2026-11-20T10:00:00.000+01:00' },
    ...{ in: 2, out: 1, occupancy: 1, peak: 2, corrections: [] },
    before: { in: 2, out: 1, occupancy: 1, peak: 2 },
  });
  expect(items[11]).toMatchObject({ in: 1, out: 0, occupancy: 2, peak: 2, before: { in: 0, occupancy: 1 } });
});

test('counts by device, by group and by day', async () => {
  const { ask } = await berlinStore();
  const of = async (query: string) => Object((await ask(`/v1/counts?${query}`)).body).items;
  expect(await of('bucket=day&by=device&from=2026-11-13&to=2026-11-13')).toEqual([
    {
      ...{ device: 'CU-0001', store: 'S-1', date: '2026-11-13', in: 2, out: 1 },
      ...{ from: '2026-11-13T00:00:00.000+01:00', to: '2026-11-14T00:00:00.000+01:00' },
    },
  ]);
  expect(await of('bucket=day&by=group&group=West&compare=week')).toEqual([
    {
      ...{ group: 'West', date: '2026-11-20', from: '2026-11-20T00:00', to: '2026-11-21T00:00' },
      ...{ in: 3, out: 1, occupancy: 2, before: { in: 2, out: 1, occupancy: 1 } },
    },
  ]);
});

test('has as many buckets as the day has hours when clocks change', async () => {
  const { ask } = await berlinStore();
  const count = async (date: string, bucket: string) =>
    Object((await ask(`/v1/counts?bucket=${bucket}&from=${date}&to=${date}`)).body).items.length;
  expect(await count('2026-03-29', '15min')).toBe(92);
  expect(await count('2026-10-25', '15min')).toBe(100);
  expect(await count('2026-10-25', 'hour')).toBe(25);
});
