import { projected } from '@visitor-counter/test/projected';
import { expect, test } from 'vitest';
import { berlinStore, now } from '../../../test/berlin-store.ts';
import { cross, oneStore } from '../../../test/one-store.ts';

test('counts by hour in the time of the store, with the week before', async () => {
  const { ask } = await berlinStore();
  const { body } = await ask('/v1/counts?bucket=hour&compare=week');
  const { items } = Object(body);
  expect(items).toHaveLength(12);
  /* The store began to count at 9:00 a week ago. */
  expect(items[8]).toMatchObject({ in: 0, before: null });
  expect(items[9]).toEqual({
    store: 'S-1',
    date: '2026-11-20',
    from: '2026-11-20T09:00:00.000+01:00',
    to: '2026-11-20T10:00:00.000+01:00',
    in: 2,
    out: 1,
    occupancy: 1,
    peak: 2,
    corrections: [],
    before: { in: 2, out: 1, occupancy: 1, peak: 2 },
    incomplete: [],
  });
  expect(items[11]).toMatchObject({ in: 1, out: 0, occupancy: 2, peak: 2, before: { in: 0, occupancy: 1 } });
});

test('counts by device, by group and by day', async () => {
  const { ask } = await berlinStore();
  const of = async (query: string) => Object((await ask(`/v1/counts?${query}`)).body).items;
  expect(await of('bucket=day&by=device&from=2026-11-13&to=2026-11-13')).toEqual([
    {
      device: 'CU-0001',
      store: 'S-1',
      date: '2026-11-13',
      in: 2,
      out: 1,
      from: '2026-11-13T00:00:00.000+01:00',
      to: '2026-11-14T00:00:00.000+01:00',
      incomplete: [],
    },
  ]);
  expect(await of('bucket=day&by=group&group=West&compare=week')).toEqual([
    {
      group: 'West',
      date: '2026-11-20',
      from: '2026-11-20T00:00:00.000+01:00',
      to: '2026-11-21T00:00:00.000+01:00',
      in: 3,
      out: 1,
      occupancy: 2,
      before: { in: 2, out: 1, occupancy: 1 },
      comparable: { in: 3, out: 1, occupancy: 2 },
      incomplete: ['running', 'late'],
    },
  ]);
  expect(await of('bucket=hour&by=group')).toHaveLength(12);
});

test('counts a bucket that has begun in the present quarter hour', async () => {
  const api = await oneStore({ now: () => now, dayStartsAt: '11:15' });
  await cross(api, [
    ['2026-11-20T10:14:30Z', 1],
    ['2026-11-20T10:17:00Z', 1],
  ]);
  const get = async (path: string) => Object((await api.get(path)).body).items;
  expect(await get('/v1/counts')).toMatchObject([{ in: 1, out: 0, occupancy: 1 }]);
  expect(await get('/v1/visitors')).toMatchObject([{ visitors: 1 }]);
  expect(await get('/v1/occupancy')).toMatchObject([{ today: { in: 1 }, occupancy: 1 }]);
});

test('applies a correction after all crossings of its instant', async () => {
  const { ask, send, databaseUrl } = await berlinStore();
  await send('/v1/corrections', { store: 'S-1', people: 12, by: 'Kim', at: '2026-11-20T10:10:00Z' });
  await projected(databaseUrl);
  const { items } = Object((await ask('/v1/counts')).body);
  expect(items[11]).toMatchObject({ in: 1, occupancy: 12, corrections: [{ was: 2, people: 12 }] });
});

test('compares with a week before only stores and devices that counted by then', async () => {
  const { ask, seed, companyId, storeId } = await berlinStore();
  const add = async (
    serial: string,
    door: { storeId: number; since: number },
    instants: readonly string[],
  ) => {
    const deviceId = await seed.device({
      companyId,
      storeId: door.storeId,
      serial,
      registeredAt: door.since,
    });
    const journalId = await seed.journal(deviceId, 'j');
    const crossing = { deviceId, journalId, storeId: door.storeId, direction: 1 } as const;
    const crossings = instants.map((at, index) => ({ ...crossing, sequence: index + 1, at: Date.parse(at) }));
    await seed.crossings(crossings);
  };
  const side = await seed.store({ companyId, sid: 'S-2', name: 'Side Door', timeZone: 'Europe/Berlin' });
  await seed.query(`update shop_group set store_ids = store_ids || $1::integer`, [side]);
  const opened = Date.parse('2026-11-13T15:00:00Z');
  const today = '2026-11-20T08:20:00Z';
  await add('CU-0002', { storeId: side, since: opened }, ['2026-11-13T15:30:00Z', today, today]);
  await add('CU-0003', { storeId, since: Date.parse('2026-11-18T12:00:00Z') }, [today]);
  const of = async (query: string): Promise<{ [name: string]: unknown }[]> =>
    Object((await ask(`/v1/counts?compare=week&${query}`)).body).items;
  const hour = async (query: string, name: string) =>
    (await of(`bucket=hour&${query}`))
      .filter(({ from }) => String(from).includes('T09:00'))
      .map((item) => item[name]);

  /* The second store opened at 16:00 a week ago. */
  expect(await hour('', 'before')).toEqual([{ in: 2, out: 1, occupancy: 1, peak: 2 }, null]);
  expect(await hour('by=group', 'in')).toEqual([5]);
  expect(await hour('by=group', 'comparable')).toEqual([{ in: 3, out: 1, occupancy: 2 }]);
  expect(await hour('by=group', 'before')).toEqual([{ in: 2, out: 1, occupancy: 1 }]);
  expect(await hour('by=device', 'before')).toEqual([{ in: 2, out: 1 }, null, null]);
  expect((await of('bucket=day')).map(({ before }) => before)).toMatchObject([{ in: 2 }, { in: 1 }]);
  expect((await of('bucket=day&by=device')).map(({ before }) => before)).toEqual([
    { in: 2, out: 1 },
    { in: 1, out: 0 },
    null,
  ]);
  const doors = (await ask('/v1/visitors/doors?store=S-1&compare=weekdays')).body;
  expect(Object(doors).items).toMatchObject([
    { device: 'CU-0001', before: 2 },
    { device: 'CU-0003', in: 1, before: null },
  ]);
});

test('has as many buckets as the day has hours when clocks change', async () => {
  const { ask } = await berlinStore();
  const count = async (date: string, bucket: string) =>
    Object((await ask(`/v1/counts?bucket=${bucket}&from=${date}&to=${date}`)).body).items.length;
  expect(await count('2026-03-29', '15min')).toBe(92);
  expect(await count('2026-10-25', '15min')).toBe(100);
  expect(await count('2026-10-25', 'hour')).toBe(25);
  expect(await count('2026-10-25', 'hour&by=group')).toBe(25);
});
