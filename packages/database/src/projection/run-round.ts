import type { ClientBase } from 'pg';
import { type Change, type ChangeEntry, changeOf } from '../occupancy/change.ts';
import { keyOfQuarter, type Quarter } from '../occupancy/quarter.ts';
import { numberArray } from '../sql/arrays.ts';
import { onClient, type RunStatement } from '../sql/run-statement.ts';
import { addToParts } from './add-to-parts.ts';
import { applyChanges } from './apply-changes.ts';
import { composeDays } from './compose-days.ts';
import { recordProgress } from './progress.ts';
import { addDeviceCounts, readQuarterRows, removeDeviceCounts, writeQuarterRows } from './quarter-rows.ts';
import { readAgain } from './read-again.ts';
import { sealQuarters } from './seal-quarters.ts';

/** What a round of the projector did. */
export interface Round {
  /** Change records that were applied. */
  readonly records: number;
  /** Quarters that were composed, and quarters whose crossings were read. */
  readonly composed: number;
  readonly read: number;
  /** When the first of the records was written (epoch ms). */
  readonly since: number | undefined;
  /** There may be more records. */
  readonly more: boolean;
}

export interface RoundOptions {
  /** Records, if no records are left, up to which transaction the projection contains everything. */
  readonly recordsProgress?: boolean;
  /** Makes quarters final whose crossings will be removed, if no records are left. */
  readonly seals?: boolean;
}

/**
 * Applies the oldest change records to the projection and removes them, in one transaction with one view of the database:
 * each of them exactly once. Only the process that has the projector's lock may call it; `now` in epoch ms.
 */
export async function runRound(
  client: ClientBase,
  now: number = Date.now(),
  { recordsProgress = false, seals = false }: RoundOptions = {},
): Promise<Round> {
  await client.query('begin isolation level repeatable read');
  try {
    const round = await applyRecords(client, now);
    if (seals && !round.more) await sealQuarters(onClient(client));
    if (recordsProgress && !round.more) await recordProgress(onClient(client));
    await client.query('commit');
    return round;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

async function applyRecords(client: ClientBase, now: number): Promise<Round> {
  const run = onClient(client);
  const { ids, changes, since, more } = await readChanges(run);
  if (ids.length === 0) return { records: 0, composed: 0, read: 0, since, more };
  const before = await readQuarterRows(run, quartersOf(changes));
  const { composed, toRead } = applyChanges(before, changes);
  await addToParts(
    run,
    changes.filter((change) => before.get(keyOfQuarter(change))?.isFinal),
  );
  const written = [...composed, ...(await readAgain(run, toRead))];
  await removeDeviceCounts(run, toRead);
  await writeQuarterRows(run, written);
  await addDeviceCounts(run, written);
  await composeDays(run, written, now);
  await run('remove-changes', 'delete from change where id = any($1::bigint[])', [
    numberArray(ids.map(Number)),
  ]);
  return { records: ids.length, composed: composed.length, read: toRead.length, since, more };
}

function quartersOf(changes: readonly Change[]): readonly Quarter[] {
  return [...new Map(changes.map((change) => [keyOfQuarter(change), change])).values()];
}

/** Change records in the order in which they were written, and their changes. */
export interface ReadChanges {
  readonly ids: readonly string[];
  readonly changes: readonly Change[];
  /** When the first of them was written (epoch ms). */
  readonly since: number | undefined;
  /** There may be more records. */
  readonly more: boolean;
}

/** The most change records in one round. */
const most = 2_000;

/** The oldest change records that are not applied yet. */
export async function readChanges(run: RunStatement): Promise<ReadChanges> {
  const rows = await run<{ id: string; since: number; changes: ChangeEntry[] }>('read-changes', statement, [
    most,
  ]);
  return {
    ids: rows.map(({ id }) => id),
    changes: rows.flatMap(({ changes }) => changes.map(changeOf)),
    since: rows[0]?.since,
    more: rows.length === most,
  };
}

const statement = `
  select id, changes, (extract(epoch from written_at) * 1000)::float8 as since
  from change order by id limit $1::integer`;
