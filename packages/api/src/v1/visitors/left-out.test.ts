import { type StoreSettings, saveStore } from '@visitor-counter/database/configuration/store';
import type { OpeningHours } from '@visitor-counter/domain/opening-hours';
import { connected } from '@visitor-counter/test/connected';
import { expect, test } from 'vitest';
import { cross, oneStore } from '../../../test/one-store.ts';

/** Friday, 10:20 in Berlin. */
const now = Date.parse('2026-11-20T09:20:00Z');

/** A store with people at full hours, staff, opening hours and sales. */
async function storeWithStaff() {
  const store = await oneStore({ now: () => now });
  const { kysely } = connected(store.databaseUrl);
  const { seed, storeId, companyId } = store;
  const save = (given: Partial<StoreSettings>) =>
    saveStore(kysely, { id: companyId, name: 'Acme' }, { sid: 'S-1', ...given }, now);
  const heartbeat = JSON.stringify({ at: now, journal: 'journal-a', recorded: 99, acknowledged: 99 });
  await seed.query('update device_state set heartbeat_at = $1, heartbeat = $2', [new Date(now), heartbeat]);
  const day = (date: string, counts: Record<string, number>) =>
    Object.entries(counts).flatMap(([hour, count]) =>
      Array.from({ length: count }, (_, n) => [`${date}T${hour}:${10 + n}:00+01:00`, 1] as const),
    );
  await cross(store, [
    ...day('2026-11-18', { '08': 2, '09': 5, '10': 6 }),
    ...day('2026-11-19', { '07': 1, '08': 3, '09': 1, '10': 7 }),
    ...day('2026-11-20', { '08': 3, '09': 9, '10': 8 }),
  ]);
  const plan = {
    since: '2026-11-19',
    week: {
      thursday: [{ at: '08:45', people: 5 }],
      friday: [
        { at: '08:45', people: 2 },
        { at: '17:00', people: 9 },
      ],
    },
  };
  await save({ staff: plan });
  await seed.query(
    `insert into entry (kind, store_id, at, people, entered_by) values ('passage', $1, '2026-11-20T09:05+01:00', 1, 'Kim')`,
    [storeId],
  );
  const open = ['09:00-18:00'];
  const exceptions = [{ date: '2026-11-17', open: [], note: 'Inventory' }];
  const week = { monday: open, tuesday: open, wednesday: open, thursday: open, friday: open };
  await save({ openingHours: { week, exceptions } });
  await seed.query(
    `insert into sale (store_id, id, at, transactions, amount)
     values ($1, 'a', '2026-11-18T09:30+01:00', 3, 12.5), ($1, 'b', '2026-11-18T10:30+01:00', 1, -2.25)`,
    [storeId],
  );
  const ask = async (path: string) => Object((await store.get(`/v1/${path}`)).body);
  return { ask, save, storeId, seed };
}

test('leaves staff out of visitors, closed hours out of averages, and returns the conversion of complete buckets', async () => {
  const { ask } = await storeWithStaff();
  const { items, total, days } = await ask(
    'visitors?store=S-1&from=2026-11-16&to=2026-11-20&bucket=day&compare=previous',
  );
  const none = { transactions: null, amount: null, conversion: null };
  expect(items).toMatchObject([
    { date: '2026-11-16', visitors: 0, staff: 0, open: true },
    { date: '2026-11-17', visitors: 0, staff: 0, open: false, before: null },
    { date: '2026-11-18', visitors: 13, staff: 0, transactions: 4, amount: '10.25', conversion: 0.3077 },
    { date: '2026-11-19', visitors: 7, staff: 5, ...none, incomplete: [] },
    { date: '2026-11-20', visitors: 3 + 9 + 8 - 3, staff: 3, incomplete: ['running', 'late'] },
  ]);
  expect(total).toMatchObject({
    visitors: 13 + 7 + 17,
    staff: 8,
    out: 0,
    transactions: 4,
    conversion: 0.3077,
  });
  expect(days).toEqual({
    average: 10,
    best: { date: '2026-11-18', visitors: 13 },
    counted: 2,
    begun: 5,
    recorded: 3,
  });
});

test('subtracts staff from their hour, then from later hours; compares up to the same time of a day', async () => {
  const { ask } = await storeWithStaff();
  const visitors = async (date: string) => {
    const { items } = await ask(`visitors?store=S-1&from=${date}&to=${date}&bucket=hour`);
    return items.slice(7, 11).map((item: { visitors: number; open: boolean }) => [item.visitors, item.open]);
  };
  expect(await visitors('2026-11-19')).toEqual([
    [1, false],
    [0, false],
    [0, true],
    [6, true],
  ]);
  expect(await visitors('2026-11-20')).toEqual([
    [0, false],
    [1, false],
    [8, true],
    [8, true],
  ]);

  const { total, compared, items } = await ask('visitors?store=S-1&compare=previous');
  expect(compared).toEqual({ from: '2026-11-19', to: '2026-11-19', until: '2026-11-19T10:20' });
  expect(total).toMatchObject({ visitors: 17, before: 1 + 3 + 1 + 7 - 5 });
  expect(items[10]).toMatchObject({ from: '2026-11-20T10:00:00.000+01:00', visitors: 8, before: 6 });

  const [occupancy] = (await ask('occupancy')).items;
  expect(occupancy).toMatchObject({ occupancy: 20, today: { in: 20, out: 0, visitors: 17 } });
  const stores = await ask('visitors/stores');
  expect(stores.items).toMatchObject([
    { store: 'S-1', visitors: 17, occupancy: 20, open: true, opensAt: null },
  ]);
});

test('counts staff at the edge of two hours or days in the later one, and none at the end of what is compared', async () => {
  const { ask, save, storeId, seed } = await storeWithStaff();
  const week = { thursday: [{ at: '10:20', people: 2 }], friday: [{ at: '10:00', people: 1 }] };
  await save({ staff: { since: '2026-11-19', week } });
  await seed.query(
    `insert into entry (kind, store_id, at, people, entered_by)
     select 'passage', $1, at, 1, 'Kim' from unnest($2::timestamptz[]) as at`,
    [storeId, ['2026-11-19T10:20+01:00', '2026-11-20T00:00+01:00', '2026-11-20T09:00+01:00']],
  );
  const { items, total } = await ask('visitors?store=S-1&compare=previous');
  expect(items.slice(8, 11)).toMatchObject([{ visitors: 3 - 1 }, { visitors: 9 - 2 }, { visitors: 8 - 1 }]);
  expect(total).toMatchObject({ visitors: 16, before: 1 + 3 + 1 + 7 });
  const days = await ask('visitors?store=S-1&from=2026-11-19&to=2026-11-20&bucket=day');
  expect(days.items).toMatchObject([{ staff: 3 }, { staff: 4 }]);
});

/** The store S-1 since the week before, and S-2 since 19 November, whose unit has not delivered everything. */
async function twoStores() {
  const store = await oneStore({ now: () => now });
  const { seed, companyId, storeId } = store;
  const second = await seed.store({ companyId, sid: 'S-2', name: 'Side Door', timeZone: 'Europe/Berlin' });
  const newer = { companyId, storeId: second };
  const registeredAt = Date.parse('2026-11-18T12:00:00Z');
  const deviceId = await seed.device({ ...newer, serial: 'CU-0002', registeredAt });
  const journalId = await seed.journal(deviceId, 'journal-b');
  await seed.query(
    `update device_state set heartbeat_at = $1, heartbeat = json_build_object(
       'at', $2::float8, 'recorded', case when device_id = $3 then 99 else 0 end, 'acknowledged', 0)`,
    [new Date(now), now, deviceId],
  );
  const minutes = (hour: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${hour}:${10 + n}:00+01:00`);
  const older = [...minutes('2026-11-12T09', 2), ...minutes('2026-11-12T10', 1)];
  await cross(
    store,
    [...older, ...minutes('2026-11-19T09', 5), ...minutes('2026-11-19T10', 4)].map((at) => [at, 1]),
  );
  await cross(
    { ...store, ...newer, deviceId, journalId },
    [...minutes('2026-11-19T09', 3), ...minutes('2026-11-19T10', 7)].map((at) => [at, 1]),
  );
  await seed.query(
    `insert into sale (store_id, id, at, transactions, amount)
     values ($1, 'a', '2026-11-19T09:00+01:00', 3, 30), ($1, 'b', '2026-11-20T09:00+01:00', 1, 5)`,
    [storeId],
  );
  return async (path: string) => Object((await store.get(`/v1/visitors${path}`)).body);
}

test('leaves newer stores out of comparisons, in totals and in buckets', async () => {
  const ask = await twoStores();
  const total = { visitors: 9 + 10, comparable: 9, before: 3 };
  const day = 'from=2026-11-19&to=2026-11-19&compare=weekdays';
  const hours = await ask(`?${day}&bucket=hour`);
  expect(hours.total).toMatchObject(total);
  expect(hours.items.slice(8, 12)).toMatchObject([
    { from: '2026-11-19T08:00:00.000+01:00', visitors: 0, comparable: null, before: null },
    { from: '2026-11-19T09:00:00.000+01:00', visitors: 8, comparable: 5, before: 2 },
    { from: '2026-11-19T10:00:00.000+01:00', visitors: 11, comparable: 4, before: 1 },
    { from: '2026-11-19T11:00:00.000+01:00', visitors: 0, comparable: 0, before: 0 },
  ]);
  const week = await ask('?from=2026-11-16&to=2026-11-19&bucket=week&compare=weekdays');
  expect([week.total, week.items[0]]).toMatchObject([total, total]);
  const stores = await ask(`/stores?${day}`);
  expect(stores.total).toMatchObject(total);
  expect(stores.items).toMatchObject([
    { store: 'S-1', visitors: 9, before: 3 },
    { store: 'S-2', visitors: 10, before: null },
  ]);
  const uncompared = await ask('/stores?from=2026-11-19&to=2026-11-19');
  expect(uncompared.total).toMatchObject({ visitors: 19, comparable: null, before: null });
});

test('compares only the days that both periods have', async () => {
  const store = await oneStore({ now: () => now });
  const people = (date: string, count: number) =>
    Array.from({ length: count }, (_, n) => [`${date}T10:${10 + n}:00+01:00`, 1] as const);
  await cross(store, [...people('2026-11-12', 2), ...people('2026-11-16', 5), ...people('2026-11-19', 4)]);
  /* The days from 10 November on, of which the store had counted the last three. */
  const days = 'from=2026-11-15&to=2026-11-19&compare=previous';
  for (const path of ['visitors?store=S-1&', 'visitors/stores?']) {
    const { total, items } = Object((await store.get(`/v1/${path}${days}`)).body);
    const expected = { visitors: 9, comparable: 4, before: 2 };
    expect(total).toMatchObject(expected);
    if (path !== 'visitors?store=S-1&') expect(items).toMatchObject([expected]);
  }
});

test('returns the conversion of the stores and days of which sales are known', async () => {
  const ask = await twoStores();
  const day = 'from=2026-11-12&to=2026-11-19';
  const hours = await ask('?from=2026-11-19&to=2026-11-19&bucket=hour');
  expect(hours.items.slice(9, 11)).toMatchObject([
    { visitors: 8, incomplete: ['late'], transactions: 3, conversion: 0.6 },
    { visitors: 11, incomplete: ['late'], transactions: null, conversion: null },
  ]);
  const sold = { transactions: 3, amount: '30.00', conversion: 0.3333 };
  expect(hours.total).toMatchObject(sold);
  for (const bucket of ['day', 'week', 'month']) {
    const { items, total } = await ask(`?${day}&bucket=${bucket}`);
    expect([items.at(-1), total]).toMatchObject([{ ...sold, incomplete: ['late'] }, sold]);
  }
  const running = await ask('?from=2026-11-19&to=2026-11-20&bucket=day');
  expect(running.items).toMatchObject([sold, { transactions: 1, conversion: null }]);
  expect(running.total).toMatchObject({ transactions: 4, amount: '35.00', conversion: null });
});

test('says when a store is open today, and when a closed one opens next, also after a weekend', async () => {
  const { ask, save } = await storeWithStaff();
  const opening = async () => {
    const [item] = (await ask('visitors/stores')).items;
    const { open, opensOn, opensAt } = await ask('stores/S-1');
    expect(item).toMatchObject({ open, opensOn, opensAt });
    return [open, opensOn, opensAt];
  };
  const hours = (week: OpeningHours['week']) => save({ openingHours: { week, exceptions: [] } });
  expect(await opening()).toEqual([true, null, null]);
  await hours({ friday: ['09:00-10:20', '13:30-18:00'] });
  expect(await opening()).toEqual([false, '2026-11-20', '13:30']);
  await hours({ friday: ['09:00-10:20'], monday: ['08:45-18:00'] });
  expect(await opening()).toEqual([false, '2026-11-23', '08:45']);
  const openToday = async () => (await ask('stores/S-1')).openToday;
  expect(await openToday()).toEqual([
    { from: '2026-11-20T09:00:00.000+01:00', to: '2026-11-20T10:20:00.000+01:00' },
  ]);
  await hours({});
  expect(await opening()).toEqual([false, null, null]);
  expect(await openToday()).toEqual([]);
});
