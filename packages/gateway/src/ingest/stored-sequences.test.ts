import { DeviceUsages } from '@visitor-counter/database/ingest/usage/device-usages';
import { withinLimits } from '@visitor-counter/database/ingest/usage/within-limits';
import { openClient, planByKeys } from '@visitor-counter/database/sql/open-client';
import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { oneDoor } from '@visitor-counter/test/one-door';
import { expect, onTestFinished, test } from 'vitest';
import { mostRowsRead } from '../../test/most-rows-read.ts';

const at = Date.parse('2026-11-20T10:00:00Z');

async function limitedDevice() {
  const { url, rows, storeId, deviceId } = await oneDoor();
  const journalId = await rows.journal(deviceId, 'j');
  const client = await openClient({ connectionString: url }, planByKeys);
  onTestFinished(() => client.end());
  /** The messages of the device with what its limit of ten crossings a day, and in 30 days, allows. */
  const limited = (...batches: readonly (readonly number[])[]) =>
    limitedTo(
      10,
      batches.map((sequences) => sequences.map((sequence) => ({ sequence, at, direction: 1 as const }))),
    );
  const limitedTo = (crossingsPer30Days: number, batches: readonly (readonly NumberedCrossing[])[]) => {
    const usages = new DeviceUsages({ crossingsPerDay: 10, crossingsPer30Days });
    const messages = batches.map((crossings) => {
      return { deviceId, topic: 't', batch: { journal: 'j', crossings }, rejections: [] };
    });
    return withinLimits(client, messages, usages, at);
  };
  return { rows, storeId, deviceId, journalId, client, limited, limitedTo };
}

test('looks up the crossings of a device at its limits by their keys, however many others are stored', async () => {
  const { rows, storeId, deviceId, journalId, client, limited } = await limitedDevice();
  const sent = Array.from({ length: 1_000 }, (_, n) => n + 1);

  /* The database plans the statement while there are few crossings. */
  for (let times = 0; times < 10; times += 1) await limited(sent);
  await rows.query(
    `insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
     select $1, $2, $3, n, now(), 1 from generate_series(501, 20000) n`,
    [journalId, deviceId, storeId],
  );
  await rows.query(
    `insert into crossing (journal_id, device_id, store_id, sequence, at, direction)
     select $1, $2, $3, n, now(), 1 from generate_series(1, 100) n`,
    [await rows.journal(deviceId, 'other'), deviceId, storeId],
  );

  const [{ batch: kept, rejections } = { batch: undefined, rejections: [] }] = await limited(sent);
  const sequences = [...(kept?.crossings ?? [])].map(({ sequence }) => sequence);
  expect(sequences.slice(0, 11)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 501]);
  expect(sequences).toHaveLength(10 + 500);
  expect(rejections.flatMap(({ entries }) => entries?.sequences ?? [])).toHaveLength(490);
  const read = await mostRowsRead(client, 'stored-sequences', `${deviceId}, 'j', '{1,501}'`);
  expect(read).toBeLessThanOrEqual(2);
});

test('limits what arrives today and on the 29 days before', async () => {
  const { rows, deviceId, limited } = await limitedDevice();
  const today = Math.floor(at / (24 * 60 * 60_000));
  await rows.query(
    `insert into device_day (device_id, day, arrived)
     select $1, $2::integer + day, arrived from (values (-30, 9), (-29, 2), (0, 2), (1, 9)) known (day, arrived)`,
    [deviceId, today],
  );

  const [{ batch } = { batch: undefined }] = await limited([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(batch?.crossings).toHaveLength(6);
});

test('writes counts of a device once a second, also after the clock was set back', async () => {
  const { rows, storeId, deviceId, journalId, client } = await limitedDevice();
  const usages = new DeviceUsages({ crossingsPerDay: 10, crossingsPer30Days: 10 });
  const row = {
    device: deviceId,
    journalId,
    journal: 'j',
    storeId,
    at,
    direction: 1,
    uncertainty: null,
    message: 0,
  } as const;
  const count = () =>
    usages.add(
      Array.from({ length: 1_000 }, (_, n) => ({ ...row, sequence: n + 1 })),
      at,
    );

  count();
  expect(usages.isDue(at)).toBe(true);
  await usages.write(client, at);
  expect(usages.isDue(at + 1_000)).toBe(false);
  count();
  expect([-3_600_000, -999, 0, 999, 1_000].map((later) => usages.isDue(at + later))).toEqual([
    true,
    false,
    false,
    false,
    true,
  ]);
  expect(await rows.query('select crossed::int, arrived::int from device_day')).toEqual([
    { crossed: 1_000, arrived: 1_000 },
  ]);
});

test('writes the counts of each device for the days of its crossings and of their arrival, without removed devices', async () => {
  const { rows, storeId, deviceId, journalId, client } = await limitedDevice();
  const companyId = Number((await rows.query('select company_id from store'))[0]?.['company_id']);
  const other = await rows.device({ companyId, storeId, serial: 'CU-2' });
  const usages = new DeviceUsages({ crossingsPerDay: 10, crossingsPer30Days: 10 });
  const day = 24 * 60 * 60_000;
  const row = { journalId, storeId, direction: 1, uncertainty: null, message: 0, journal: 'j' } as const;
  const sent = [
    [deviceId, at - day],
    [deviceId, at - day],
    [deviceId, at],
    [other, at],
    [other, at - day],
    [other + 1, at],
  ] as const;
  usages.add(
    sent.map(([device, instant], n) => ({ ...row, device, at: instant, sequence: n + 1 })),
    at + day,
  );
  await usages.writeAll(client);

  const today = Math.floor(at / day);
  const written = await rows.query(
    'select device_id, day - $1::integer as day, crossed::int, arrived::int from device_day order by 1, 2',
    [today],
  );
  expect(written.map((one) => Object.values(one))).toEqual([
    [deviceId, -1, 2, 0],
    [deviceId, 0, 1, 0],
    [deviceId, 1, 0, 3],
    [other, -1, 1, 0],
    [other, 0, 1, 0],
    [other, 1, 0, 2],
  ]);
  expect(usages.isUnwritten).toBe(false);
});

test('counts a crossing once that arrives twice in one transaction', async () => {
  const { limited } = await limitedDevice();
  const six = [1, 2, 3, 4, 5, 6];
  const accepted = (await limited(six, six, [6, 7, 8, 9, 10, 11], [11, 1])).map(({ batch, rejections }) => [
    batch?.crossings.map(({ sequence }) => sequence) ?? [],
    rejections.flatMap(({ entries }) => entries?.sequences ?? []),
  ]);
  expect(accepted).toEqual([
    [six, []],
    [six, []],
    [[6, 7, 8, 9, 10], [11]],
    [[1], [11]],
  ]);
});

test('counts a crossing for the day on which it is stored if it arrives again with another day', async () => {
  const { limitedTo } = await limitedDevice();
  const on = (day: number, first: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({
      sequence: first + n,
      at: at - day * 24 * 60 * 60_000,
      direction: 1 as const,
    }));

  const accepted = await limitedTo(100, [on(0, 1, 10), on(1, 1, 10), on(0, 11, 1)]);

  expect(accepted.map(({ batch }) => batch?.crossings.length)).toEqual([10, 10, undefined]);
});
