import { findingKinds } from '@visitor-counter/database/alerts/store-findings';
import { expect, test } from 'vitest';
import { oneCompany } from '../../test/company.ts';
import { evaluate } from '../rules/evaluate.ts';
import type { Findings } from '../rules/facts.ts';
import { findUnusual } from './find.ts';

/** Opening hours that are the same every day. */
function daily(span: string) {
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
  return Object.fromEntries(days.map((day) => [day, [span]]));
}

/** A store in UTC, and what its door counted. */
async function store() {
  const acme = await oneCompany();
  const { rows, storeId, deviceId, database } = acme;
  const now = Date.now();
  const last = Math.floor(now / 900_000);
  await rows.query(`update store set time_zone = 'UTC'`);
  const heartbeat = JSON.stringify({ at: now, journal: 'j', recorded: 9, acknowledged: 9 });
  await rows.query('update device_state set heartbeat = $1, heartbeat_at = now(), last_activity_at = now()', [
    heartbeat,
  ]);
  /** In each quarter hour from `first` to `last`, counted back from now. */
  const count = (first: number, until: number, entries: number, exits: number, door = deviceId) =>
    rows.query(
      `insert into quarter (store_id, device_id, quarter, settled_entries, settled_exits, entries, exits)
       select $1::int, $2::int, quarter, 0, 0, $5::int, $6::int from generate_series($3::int, $4::int) quarter
       on conflict (store_id, quarter, device_id) do update set entries = excluded.entries, exits = excluded.exits`,
      [storeId, door, last - first, last - until, entries, exits],
    );
  const found: Findings = new Map();
  const open = async () => {
    for (const kind of findingKinds) found.set(kind, await findUnusual(database.kysely, now, kind));
    await evaluate(database.kysely, found);
    return rows.query('select kind, device_id, about from alert where cleared_at is null order by kind');
  };
  const hours = (week: object) =>
    rows.query('update store set opening_hours = $2 where id = $1', [
      storeId,
      JSON.stringify({ week, exceptions: [] }),
    ]);
  /** The store is open every day between two times, given in quarter hours after the present one. */
  const openBetween = (from: number, to: number) => {
    const [opens, closes] = [from, to].map((quarters) =>
      new Date((last + quarters) * 900_000).toISOString().slice(11, 16),
    );
    return hours(daily(`${opens}-${closes}`));
  };
  return { ...acme, now, last, count, open, hours, openBetween };
}

test('raises an alert for visitors while the store is closed, without declared staff', async () => {
  const { rule, rows, storeId, count, hours, open, now } = await store();
  await rule('visitors-while-closed', 1_800);
  await count(2, 2, 3, 0);
  expect(await open()).toEqual([]);

  await hours({});
  expect(await open()).toMatchObject([
    { kind: 'visitors-while-closed', about: { people: 3, store: 'Main' } },
  ]);
  const staff = (people: number) =>
    rows.query(
      `insert into entry (kind, store_id, at, people, entered_by) values ('passage', $1, $2, $3, 'Kim')`,
      [storeId, new Date(now - 1_800_000), people],
    );
  await staff(3);
  expect(await open()).toEqual([]);
  await count(1, 1, 2, 0);
  expect(await open()).toMatchObject([{ about: { people: 2 } }]);
  await hours(daily('00:00-24:00'));
  expect(await open()).toEqual([]);
});

test('raises an alert for visitors at least the time of the rule after closing and before opening', async () => {
  const { rule, count, open, openBetween } = await store();
  await rule('visitors-while-closed', 1_800);
  await count(2, 2, 3, 0);
  for (const [from, to, alerts] of [
    [-6, -3, 0],
    [-6, -4, 1],
    [0, 2, 0],
    [1, 2, 1],
  ] as const) {
    await openBetween(from, to);
    expect(await open()).toHaveLength(alerts);
  }
});

test('raises an alert for a door that is silent at a usual time, unless its unit has pending crossings', async () => {
  const { rule, rows, count, open, hours, deviceId, last } = await store();
  await rule('silent-while-open', 5_400);
  await count(5 * 672, 0, 3, 2);
  expect(await open()).toEqual([]);
  await rows.query(`delete from quarter where quarter > $1`, [last - 9]);
  expect(await open()).toMatchObject([
    { kind: 'silent-while-open', device_id: deviceId, about: { missed: 40, device: 'CU-1', serial: 'CU-1' } },
  ]);

  await rows.query(`update device_state set heartbeat = jsonb_set(heartbeat, '{recorded}', '12')`);
  expect(await open()).toEqual([]);
  await rows.query(`update device_state set heartbeat = jsonb_set(heartbeat, '{recorded}', '9')`);
  expect(await open()).toHaveLength(1);
  await hours({});
  expect(await open()).toEqual([]);
});

test('compares a silence with the same hours of local time after the clocks were set back', async () => {
  const { rule, rows, storeId, deviceId, database } = await store();
  await rule('silent-while-open', 5_400);
  await rows.query(`update store set time_zone = 'Europe/Berlin'`);
  const quarter = (at: string) => Date.parse(at) / 900_000;
  /* From 9:00 to 17:00 ten people pass in each quarter hour, until the Monday after the change. */
  await rows.query(
    `insert into quarter (store_id, device_id, quarter, settled_entries, settled_exits, entries, exits)
     select $1, $2, quarter, 0, 0, 5, 5 from generate_series($3::int, $4::int) quarter
     where extract(hour from to_timestamp(quarter * 900) at time zone 'Europe/Berlin') between 9 and 16`,
    [storeId, deviceId, quarter('2025-09-01T00:00Z'), quarter('2025-10-27T00:00Z')],
  );
  const missedAt = async (at: string) => {
    const found = await findUnusual(database.kysely, Date.parse(at), 'silent-while-open');
    return found.map(({ about }) => about);
  };

  expect(await missedAt('2025-10-27T08:15Z')).toEqual([]);
  expect(await missedAt('2025-10-27T09:00Z')).toEqual([{ missed: 40 }]);
});

test('raises an alert for each silent door of a store, and ends that of the door that somebody passes', async () => {
  const { rule, rows, count, open, companyId, storeId, deviceId, last } = await store();
  const back = await rows.device({ companyId, storeId, serial: 'CU-2' });
  await rows.query(`update device_state set last_activity_at = now(), heartbeat_at = now(),
    heartbeat = (select heartbeat from device_state where heartbeat is not null limit 1)`);
  await rule('silent-while-open', 5_400);
  for (const door of [deviceId, back]) await count(5 * 672, 9, 3, 2, door);
  await count(8, 0, 3, 2, back);
  expect(await open()).toMatchObject([{ device_id: deviceId, about: { serial: 'CU-1' } }]);
  await rows.query(`delete from quarter where quarter > $1`, [last - 9]);
  const both = await open();
  expect(both.map((alert) => alert['device_id']).sort()).toEqual([deviceId, back].sort());
  await count(8, 0, 3, 2);
  expect(await open()).toMatchObject([{ device_id: back, about: { serial: 'CU-2' } }]);
});

test('raises an alert for a door at which entries and exits drift apart', async () => {
  const { rule, count, open } = await store();
  await rule('direction-doubtful', 0);
  await count(10 * 96, 0, 2, 2);
  expect(await open()).toEqual([]);
  await count(4 * 96, 0, 3, 1);
  expect(await open()).toMatchObject([{ kind: 'direction-doubtful', about: { entries: 864, exits: 288 } }]);
});
