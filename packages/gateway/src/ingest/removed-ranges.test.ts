import { separateRemoved } from '@visitor-counter/database/crossings/removed-sequences';
import { removeBatch } from '@visitor-counter/database/retention/remove-batch';
import { openClient, planByKeys } from '@visitor-counter/database/sql/open-client';
import { oneDoor } from '@visitor-counter/test/one-door';
import { expect, onTestFinished, test } from 'vitest';
import { mostRowsRead } from '../../test/most-rows-read.ts';

const at = Date.parse('2025-11-20T10:00:00Z');

/** A journal of which every third sequence from 30,000 to 90,000 was removed: a range each. */
async function removedJournal() {
  const { url, rows, companyId, storeId, deviceId } = await oneDoor();
  const journalId = await rows.journal(deviceId, 'j');
  await rows.query(
    `insert into journal_removed (journal_id, first, last)
     select $1, n, n from generate_series(30000, 90000, 3) n`,
    [journalId],
  );
  await rows.query(
    `insert into retention_pass (company_id, removed_before, horizon, removes_below)
     values ($1, '2026-01-01Z', 1000000, 1000000)`,
    [companyId],
  );
  await rows.query('vacuum analyze journal_removed');
  const client = await openClient({ connectionString: url }, planByKeys);
  onTestFinished(() => client.end());
  const mostRead = (name: string, values: string) => mostRowsRead(client, name, values);
  return { rows, client, companyId, storeId, deviceId, journalId, mostRead };
}

test('recognises removed crossings of a journal with many removed ranges without reading all of them', async () => {
  const { client, storeId, deviceId, journalId, mostRead } = await removedJournal();
  const crossing = {
    message: 0,
    journalId,
    journal: 'j',
    device: deviceId,
    at,
    direction: 1,
    storeId,
  } as const;
  const sequences = [1, 2, 29_999, 30_000, 30_001, 30_003, 89_999, 90_000, 90_001];
  const sent = sequences.map((sequence) => ({ ...crossing, sequence, uncertainty: null }));

  const { rows: kept, conflicting } = await separateRemoved(client, sent);
  expect(kept.map(({ sequence }) => sequence)).toEqual([1, 2, 29_999, 30_001, 89_999, 90_001]);
  expect(conflicting).toEqual([]);
  const later = sent.map((row) => ({ ...row, at: Date.parse('2026-02-01Z') }));
  expect((await separateRemoved(client, later)).conflicting).toHaveLength(3);
  expect(
    await mostRead('find-removed', `'{${journalId},${journalId}}', '{1,90000}', '{2,90001}'`),
  ).toBeLessThan(10);
});

test('removes crossings of a journal with many removed ranges without reading all of them', async () => {
  const { rows, client, companyId, storeId, deviceId, journalId, mostRead } = await removedJournal();
  const store = (sequences: readonly number[]) =>
    rows.query(
      `insert into crossing (journal_id, device_id, store_id, sequence, at, direction, transaction)
       select $1, $2, $3, sequence, to_timestamp($4::float8 / 1000), 1, 5 from unnest($5::bigint[]) sequence`,
      [journalId, deviceId, storeId, at, sequences],
    );
  const slice = { companyId, from: at - 1_000, until: at + 1_000, limit: 1_000 };
  await store([10, 29_998, 30_001, 30_002, 40_001, 90_001, 90_003]);
  expect(await removeBatch(client, slice)).toBe(7);
  const near = `select first::int, last::int from journal_removed
    where last <= 30006 or last between 39998 and 40004 or last >= 89997 order by last`;
  expect((await rows.query(near)).map(({ first, last }) => [first, last])).toEqual([
    [10, 10],
    [29_998, 29_998],
    [30_000, 30_003],
    [30_006, 30_006],
    [39_999, 39_999],
    [40_001, 40_002],
    [89_997, 89_997],
    [90_000, 90_001],
    [90_003, 90_003],
  ]);
  await store([1, 2, 20]);
  const values = `${companyId}, ${slice.from}, ${slice.until}, 1000`;
  expect(await mostRead('remove-crossings', values)).toBeLessThan(20);
});

test('continues where it was when a batch does not remove everything', async () => {
  const { rows, client, companyId, storeId, deviceId, journalId } = await removedJournal();
  await rows.query(
    `insert into crossing (journal_id, device_id, store_id, sequence, at, direction, transaction)
     select $1, $2, $3, n, to_timestamp($4::float8 / 1000), 1, 5 from generate_series(1, 3) n`,
    [journalId, deviceId, storeId, at],
  );
  const slice = { companyId, from: at, until: at + 1_000, limit: 2 };
  const position = () => rows.query('select removed_to from retention_pass');

  expect(await removeBatch(client, slice)).toBe(2);
  expect(await position()).toEqual([{ removed_to: null }]);
  expect(await removeBatch(client, slice)).toBe(1);
  expect(await position()).toEqual([{ removed_to: new Date(slice.until) }]);
});
