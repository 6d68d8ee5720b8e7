import { composeFolded, nothingFolded } from '@visitor-counter/domain/occupancy';
import type { ClientBase } from 'pg';
import { type Change, type ChangeEntry, changeOf, sumOfCounts } from '../occupancy/change.ts';
import { addToParts } from '../occupancy/final-quarters.ts';
import { type FoldedRange, foldStored } from '../occupancy/fold-stored.ts';
import { keyOfQuarter, type Quarter, startOfQuarter } from '../occupancy/quarter.ts';
import { numberArray } from '../sql/arrays.ts';
import { inTransaction, runStatement } from '../sql/run-statement.ts';
import { applyChanges, type Base, type FoldedQuarter, type QuarterToRead } from './apply-changes.ts';
import { composeDays } from './compose-days.ts';
import { addDeviceCounts, readQuarterRows, removeDeviceCounts, writeQuarterRows } from './quarter-rows.ts';
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

/**
 * Applies the oldest change records to the projection and removes them, in one transaction with one view of the database:
 * each of them exactly once. With `upkeep`, and if no records are left, it also makes quarters final whose crossings will be
 * removed, and records its progress. Only the process that has the projector's lock may call it, over a connection with
 * `pipeline`; `now` in epoch ms.
 */
export async function runRound(client: ClientBase, now: number = Date.now(), upkeep = false): Promise<Round> {
  const work = async () => {
    const round = await applyRecords(client, now);
    if (upkeep && !round.more) {
      await sealQuarters(client);
      await runStatement(client, 'record-progress', progressStatement, []);
    }
    return round;
  };
  return inTransaction(client, work, 'begin isolation level repeatable read');
}

async function applyRecords(client: ClientBase, now: number): Promise<Round> {
  const records = await runStatement<ChangeRecord>(client, 'read-changes', readStatement, [most]);
  const facts = { records: records.length, since: records[0]?.since, more: records.length === most };
  if (records.length === 0) return { ...facts, composed: 0, read: 0 };
  const changes = records.flatMap((record) => record.changes.map(changeOf));
  const before = await readQuarterRows(client, quartersOf(changes));
  const { composed, toRead } = applyChanges(before, changes);
  await addToParts(
    client,
    changes.filter((change) => before.get(keyOfQuarter(change))?.isFinal),
  );
  const written = [...composed, ...(await readAgain(client, toRead))];
  const ids = numberArray(records.map(({ id }) => Number(id)));
  /* `composeDays` continues after its first answer, and then all statements before it have succeeded. */
  await allOf([
    removeDeviceCounts(client, toRead),
    writeQuarterRows(client, written),
    addDeviceCounts(client, written),
    runStatement(client, 'remove-changes', removeStatement, [ids]),
    composeDays(client, written, now),
  ]);
  return { ...facts, composed: composed.length, read: toRead.length };
}

/**
 * Waits for statements that are sent together in a transaction. Throws the error of the first one that failed: later errors
 * only report that the transaction is aborted.
 */
async function allOf(statements: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(statements);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

function quartersOf(changes: readonly Change[]): readonly Quarter[] {
  return [...new Map(changes.map((change) => [keyOfQuarter(change), change])).values()];
}

interface ChangeRecord {
  readonly id: string;
  /** When it was written (epoch ms). */
  readonly since: number;
  readonly changes: readonly ChangeEntry[];
}

/** The most change records in one round. */
const most = 2_000;

const readStatement = `
  select id, changes, (extract(epoch from written_at) * 1000)::float8 as since
  from change order by id limit $1::integer`;

const removeStatement = 'delete from change where id = any($1::bigint[])';

/**
 * Records up to which transaction the projection contains everything, at most every ten seconds, and only if crossings were
 * written that the latest record does not cover. Records are kept for 90 days.
 */
const progressStatement = `
  with expired as (
    delete from projection_progress where at < now() - interval '90 days'
  )
  insert into projection_progress (applied_before, begun_before)
  select transactions_before + pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
    transactions_before + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  from installation left join lateral (
    select at, applied_before from projection_progress order by applied_before desc limit 1
  ) latest on true
  where latest.at is null or (
    latest.at not between now() - interval '10 seconds' and now()
    and exists (select from crossing where transaction >= latest.applied_before)
  )
  on conflict do nothing`;

/**
 * Reads the crossings of quarters again.
 *
 * Crossings of two busy doors reach the projector a little out of order all the time, and reading all of a quarter for
 * each of them would take ever longer. So what a quarter contains up to some instant is kept as its base, and only what
 * comes after the base is read. The base ends before the crossings that were added, by as much as these were late: the
 * next ones are probably not later. Crossings that are added before the base, and any other change, remove it. What contains
 * a correction is never a base, because its sum is -Infinity.
 */
async function readAgain(client: ClientBase, quarters: readonly QuarterToRead[]): Promise<FoldedQuarter[]> {
  const parts = quarters.map(partsOf);
  const ranges = parts.flatMap(({ storeId, base, next, end }) => [
    { storeId, from: base.until, to: next },
    { storeId, from: next, to: end },
  ]);
  const folded = await foldStored(client, ranges);
  return parts.map(({ storeId, quarter, base: known, next }, index) => {
    const atNext = { ...added(known, folded[2 * index]), until: next };
    const { stretch, latest } = atNext.folded;
    const base = Number.isFinite(stretch.sum) && Number.isFinite(latest) ? atNext : undefined;
    return { storeId, quarter, ...added(atNext, folded[2 * index + 1]), base };
  });
}

/** What is read of a quarter: from its base to where the next base ends, and from there to its end. */
function partsOf({ storeId, quarter, first, latest, base }: QuarterToRead) {
  const [start, end] = [startOfQuarter(quarter), startOfQuarter(quarter + 1)];
  const isUsable = base !== undefined && first >= base.until;
  const from = isUsable ? base : { until: start, folded: nothingFolded, devices: {} };
  /* After a change that is no addition there is no next base. */
  const next = Number.isFinite(first) ? Math.max(from.until, first - (latest - first)) : from.until;
  return { storeId, quarter, end, base: from, next };
}

function added({ folded, devices }: Omit<Base, 'until'>, more: FoldedRange | undefined): Omit<Base, 'until'> {
  if (more === undefined) return { folded, devices };
  return { folded: composeFolded(folded, more), devices: sumOfCounts(devices, more.devices) };
}
