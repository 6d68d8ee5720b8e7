import { isDeepStrictEqual } from 'node:util';
import type { ClientBase, Pool } from 'pg';
import { accountedRanges } from '../crossings/accounted-ranges.ts';
import { numberColumns } from '../sql/arrays.ts';
import { inTransaction, runStatement } from '../sql/run-statement.ts';
import { findGaps } from './find-gaps.ts';
import { type Range, sizeOf, splitAfter, subtract } from './ranges.ts';
import { insertMissingJournals } from './record-uncounted.ts';
import { storeLost } from './store-lost.ts';

/** What a unit reports about one of its journals. */
interface ReportedJournal {
  readonly deviceId: number;
  readonly journal: string;
  /** Every sequence up to here was acknowledged; 0 where that is not reported. */
  readonly acknowledged: number;
  /** Sequences that the unit cannot deliver any more. */
  readonly lost: readonly Range[];
}

/** The result of one comparison of a journal with the database. */
interface Accounted {
  readonly journalId: number;
  /** Crossings that are known to be missing. */
  readonly missing: number;
  /** Crossings that this call has found to be lost. */
  readonly lost: number;
  /** Declared ranges that this call has not compared: pass them to the next call. */
  readonly lostUnseen: readonly Range[];
  /** This call has not compared everything: call again, with `lostUnseen` as `lost`. */
  readonly more: boolean;
}

/** The most missing ranges of a journal that are stored: later ones are compared when some have been filled. */
const mostMissing = 1_000;

/**
 * Finds which sequences of a journal are missing, and stores that, in one transaction: those that were acknowledged
 * to the unit and are neither stored, nor rejected, nor declared lost. Ranges that are accounted for now are no
 * longer missing. Undefined if the device is not in the database.
 */
export async function updateCoverage(pool: Pool, reported: ReportedJournal): Promise<Accounted | undefined> {
  const client = await pool.connect();
  try {
    const journalId = await journalOf(client, reported);
    const accounted =
      journalId === undefined
        ? undefined
        : await inTransaction(client, () => account(client, journalId, reported));
    client.release();
    return accounted;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** A restored database may lack the journal. */
async function journalOf(
  client: ClientBase,
  { deviceId, journal }: ReportedJournal,
): Promise<number | undefined> {
  const select = 'select id from journal where device_id = $1 and name = $2';
  const values = [deviceId, journal];
  const { rows } = await client.query<{ id: number }>(select, values);
  if (rows[0]) return rows[0].id;
  await insertMissingJournals(client, [{ deviceId, journal }]);
  return (await client.query<{ id: number }>(select, values)).rows[0]?.id;
}

/** A missing range; `since` is the instant at which it was found, as the database writes it. */
interface Missing extends Range {
  readonly since: string | null;
}

async function account(
  client: ClientBase,
  journalId: number,
  { deviceId, acknowledged, lost }: ReportedJournal,
): Promise<Accounted> {
  const before = await lockProgress(client, journalId);
  const knownMissing = await readMissing(client, journalId);
  const through = knownMissing[0] === undefined ? before : knownMissing[0].first - 1;
  const declared = await storeLost(client, journalId, through, lost);
  const known = await findGaps(client, journalId, knownMissing);
  const fresh = await compareNew(client, journalId, before, acknowledged, declared.unstored);
  const open: Missing[] = [...known.gaps, ...known.unseen, ...fresh.gaps];
  const all = subtract(open, declared.unstored);
  const missing = all.slice(0, mostMissing);
  const cut = all[mostMissing];
  const checked = cut ? cut.first - 1 : await skipUncounted(client, journalId, fresh.checked);
  if (!isDeepStrictEqual(missing, knownMissing)) await writeMissing(client, journalId, deviceId, missing);
  if (checked !== before) {
    const text = 'update journal_progress set checked = $2 where journal_id = $1';
    await client.query(text, [journalId, checked]);
  }
  const isFull = missing.length === mostMissing;
  const lostUnseen = declared.unseen;
  /* Lost ranges that are not stored: this call has only advanced over them. */
  const [, unacknowledged] = splitAfter(declared.unstored, Math.max(before, acknowledged));
  const [passed] = splitAfter(unacknowledged, checked);
  const more = lostUnseen.length > 0 || known.unseen.length > 0 || (checked < acknowledged && !isFull);
  const found = sizeOf(declared.stored) + sizeOf(passed) + sizeOf(open) - sizeOf(all);
  return { journalId, missing: sizeOf(missing), lost: found, lostUnseen, more };
}

/** Returns up to where the journal was checked, and locks that until the transaction ends. */
async function lockProgress(client: ClientBase, journalId: number): Promise<number> {
  await client.query(
    'insert into journal_progress (journal_id, checked) values ($1, 0) on conflict (journal_id) do nothing',
    [journalId],
  );
  const { rows } = await client.query<{ checked: number }>(
    'select checked::float8 as checked from journal_progress where journal_id = $1 for update',
    [journalId],
  );
  return rows[0]?.checked ?? 0;
}

async function readMissing(client: ClientBase, journalId: number): Promise<Missing[]> {
  const { rows } = await client.query<Missing>(
    'select first::float8 as first, last::float8 as last, since::text from journal_missing where journal_id = $1 order by first',
    [journalId],
  );
  return rows;
}

/**
 * Compares the sequences that were acknowledged since the last call, and those after them up to the first that is neither
 * accounted for nor in `lost`.
 */
async function compareNew(
  client: ClientBase,
  journalId: number,
  checked: number,
  acknowledged: number,
  lost: readonly Range[],
): Promise<{ gaps: readonly Missing[]; checked: number }> {
  const last = Math.max(acknowledged, lost.at(-1)?.last ?? 0);
  if (last <= checked) return { gaps: [], checked };
  const { gaps, unseen } = await findGaps(client, journalId, [{ first: checked + 1, last, since: null }]);
  const [missing, later] = splitAfter(gaps, acknowledged);
  const next = subtract(later, lost)[0] ?? unseen[0];
  return { gaps: missing, checked: next === undefined ? last : next.first - 1 };
}

/** An uncounted range right after `checked` is skipped in one step, however long it is. */
async function skipUncounted(client: ClientBase, journalId: number, checked: number): Promise<number> {
  const [row] = await runStatement<{ last: number | null }>(client, 'skip-uncounted', skipStatement, [
    journalId,
    checked + 1,
  ]);
  return row?.last ?? checked;
}

const skipStatement = `
  select max(last)::float8 as last from (${accountedRanges('$1::integer', '$2::bigint', '$2::bigint')}) uncounted`;

async function writeMissing(
  client: ClientBase,
  journalId: number,
  deviceId: number,
  missing: readonly Missing[],
): Promise<void> {
  await client.query('delete from journal_missing where journal_id = $1', [journalId]);
  if (missing.length === 0) return;
  await client.query(
    `insert into journal_missing (journal_id, device_id, first, last, since)
     select $1, $2, first, last, coalesce(since, now())
     from unnest($3::bigint[], $4::bigint[], $5::timestamptz[]) as missing (first, last, since)`,
    [journalId, deviceId, ...numberColumns(missing, 'first', 'last'), missing.map(({ since }) => since)],
  );
}
