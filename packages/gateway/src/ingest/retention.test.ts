import { enterEntry, undoEntry } from '@visitor-counter/database/entries/entries';
import { rebuildProjection } from '@visitor-counter/database/projection/projection';
import { voidCrossings } from '@visitor-counter/database/voids/void-crossings';
import { kim } from '@visitor-counter/test/author';
import { projected } from '@visitor-counter/test/projected';
import { removeAllOld } from '@visitor-counter/test/remove-all-old';
import { expect, test } from 'vitest';
import { type Message, minute, staffOf, storingCompany } from '../../test/storing-company.ts';

const hour = 60 * minute;
const day = 24 * hour;

/** A company that keeps crossings for a month from when `keepMonth` is called. */
async function company() {
  const acme = await storingCompany();
  const { rows, url, devices, database } = acme;
  const [device = 0] = devices;
  const horizonOf = async (months: number | null) => {
    const [row] = await rows.query('select horizon($1::integer) as at', [months]);
    return Number(row?.['at']);
  };
  const counted = async () => {
    await projected(url);
    const [sum] = await rows.query(
      'select sum(entries)::integer as entries, sum(exits)::integer as exits from quarter',
    );
    return sum;
  };
  /** All that is derived from crossings and corrections. */
  const projection = async () => {
    await projected(url);
    const tables = [];
    for (const table of ['quarter', 'quarter_state', 'day'])
      tables.push(await rows.query(`select * from ${table} order by 1, 2, 3`));
    return tables;
  };
  return {
    ...acme,
    device,
    counted,
    projection,
    horizonOf,
    kept: await horizonOf(1),
    keepMonth: () => rows.query('update company set retention_months = 1'),
    stored: async () => (await rows.query('select from crossing')).length,
    rejected: () =>
      rows.query('select reason, convert_from(payload, $1) as payload from rejected_message', ['UTF8']),
    deleteOld: () => removeAllOld(database.kysely),
  };
}

/** Crossings some time apart, every third one out. */
function batch(device: number, first: number, count: number, at: number, apart = minute): Message {
  const crossings = Array.from({ length: count }, (_, index) => ({
    sequence: first + index,
    at: at + index * apart,
    direction: (first + index) % 3 === 0 ? (-1 as const) : (1 as const),
  }));
  return { device, journal: 'j', crossings };
}

test.each([
  { what: 'older than its company keeps', months: 1 },
  { what: 'more than 400 days old', months: null },
])('rejects a crossing that is $what, and stores the others', async ({ months }) => {
  const { device, committers, rejected, counted, rows, horizonOf } = await company();
  await rows.query('update company set retention_months = $1', [months]);
  const horizon = await horizonOf(months);

  expect(await committers[0].store([batch(device, 1, 3, horizon - minute)])).toEqual(['stored']);

  expect(await counted()).toEqual({ entries: 1, exits: 1 });
  expect(await rejected()).toEqual([
    {
      reason: 'old: before the first day that the company keeps',
      payload: JSON.stringify({ journal: 'j', entries: [[1, [horizon - minute, 1]]] }),
    },
  ]);
});

test('recognises crossings that are sent again when they are older than their company keeps', async () => {
  const { device, committers, rejected, counted, kept, keepMonth } = await company();
  const { crossings, ...sent } = batch(device, 1, 3, kept - minute * 3);
  await committers[0].store([{ ...sent, crossings }]);
  await keepMonth();

  expect(await committers[1].store([{ ...sent, crossings }])).toEqual(['stored']);
  expect(await rejected()).toEqual([]);
  const changed = crossings.map((one) => ({ ...one, at: one.at + 1 }));
  await committers[1].store([{ ...sent, crossings: changed }]);

  expect(await rejected()).toMatchObject([{ reason: expect.stringMatching(/^conflict/) }]);
  expect(await counted()).toEqual({ entries: 2, exits: 1 });
});

test('deletes crossings when they are a day older than their company keeps, voided ones too, and keeps all numbers', async () => {
  const acme = await company();
  const { device, committers, stored, projection, kept, keepMonth, database, rows } = acme;
  await committers[0].store([batch(device, 1, 2_500, kept - 5 * day)]);
  await committers[0].store([batch(device, 2_501, 60, kept - day - hour)]);
  const range = { from: kept - day - hour, until: kept - day - hour / 2 };
  await voidCrossings(database.kysely, { deviceId: device, ...range, reason: 'test', author: kim });
  await committers[0].store([batch(device, 2_561, 3, kept - day), batch(device, 2_564, 3, kept)]);
  const before = await projection();
  expect(await acme.deleteOld()).toBe(0);

  await keepMonth();

  expect(await acme.deleteOld()).toBe(2_560);
  expect(await stored()).toBe(6);
  await database.kysely.transaction().execute(rebuildProjection);
  expect(await projection()).toEqual(before);
  expect(await rows.query('select from mark')).toEqual([]);
});

test('counts nothing that is sent again after it was deleted', async () => {
  const { device, committers, stored, projection, kept, keepMonth, deleteOld } = await company();
  const sent = batch(device, 1, 100, kept - 2 * day);
  await committers[0].store([sent]);
  const before = await projection();
  await keepMonth();
  expect(await deleteOld()).toBe(100);

  expect(await committers[0].store([sent])).toEqual(['stored']);

  expect(await stored()).toBe(0);
  expect(await projection()).toEqual(before);
});

test('refuses voids, moves, corrections and their undoing at an instant that is older than the company keeps', async () => {
  const acme = await company();
  const { device, committers, projection, stores, kept, keepMonth, database, move } = acme;
  await committers[0].store([batch(device, 1, 10, kept - 5 * minute)]);
  const staff = await staffOf(acme);
  const correction = { storeId: stores[0] ?? 0, at: kept - 1 };
  const enter = () => enterEntry(database.kysely, 'correction', { ...staff, ...correction, people: 3 });
  const id = await enter();
  const before = await projection();
  await keepMonth();
  const voidFrom = (from: number) =>
    voidCrossings(database.kysely, {
      deviceId: device,
      from,
      until: kept + minute,
      reason: 'test',
      author: kim,
    });

  await expect(voidFrom(kept - 1)).rejects.toThrow('no longer kept');
  await expect(move(0, 1, { since: kept - 1 })).rejects.toThrow('no longer kept');
  await expect(enter()).rejects.toThrow('no longer kept');
  const undo = undoEntry(database.kysely, 'correction', { id, ...correction }, staff);
  await expect(undo).rejects.toThrow('no longer kept');
  expect(await projection()).toEqual(before);

  expect(await voidFrom(kept)).toMatchObject({ crossings: 1 });
  await move(0, 1, { since: kept });
});

test('keeps all numbers where crossings were deleted, also if the company then keeps them for ever', async () => {
  const acme = await company();
  const { device, devices, stores, committers, projection, rejected, kept, rows, database } = acme;
  /* Business days of the three stores begin at different instants, also within those that are deleted. */
  const sent = devices.slice(0, 3).map((door) => batch(door, 1, 700, kept - 5 * day, 13 * minute));
  await committers[0].store(sent);
  const staff = await staffOf(acme);
  for (const storeId of stores) {
    for (let at = kept - 5 * day + 7 * minute; at < kept + day; at += 9 * hour)
      await enterEntry(database.kysely, 'correction', { ...staff, storeId, at, people: (at / minute) % 17 });
  }
  const before = await projection();
  await acme.keepMonth();
  expect(await acme.deleteOld()).toBe(3 * Math.ceil((4 * day) / (13 * minute)));
  await rows.query('update company set retention_months = null');

  await committers[0].store([batch(device, 701, 1, kept - 5 * day)]);
  await rows.query('insert into mark (store_id, quarter) select distinct store_id, quarter from quarter');
  await database.kysely.transaction().execute(rebuildProjection);

  expect(await projection()).toEqual(before);
  expect(await rejected()).toHaveLength(1);
  expect(await rows.query('select from mark')).toEqual([]);
});
