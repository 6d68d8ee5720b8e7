import { type Kysely, sql, type Transaction } from 'kysely';
import type { Pool } from 'pg';
import type { Database } from '../sql/connect.ts';
import { type Range, sizeOf } from './ranges.ts';
import { type Missing, type Requested, requestMissing } from './request-missing.ts';
import { updateCoverage } from './update-coverage.ts';

/** The result of one recovery step for a device. */
export interface Recovery {
  /** Crossings that are still missing. */
  readonly missing: number;
  /** Crossings that its unit no longer has. */
  readonly lost: number;
  /** The range that was requested from its unit now. */
  readonly requested?: Requested;
}

/** A device with missing crossings or a request. */
interface DeviceWithGaps {
  readonly id: number;
  readonly serial: string;
}

/** The devices with missing crossings or a request, by id, after the id `after`, at most `limit`. */
export async function findDevicesWithGaps(
  db: Kysely<unknown>,
  after: number,
  limit: number,
): Promise<DeviceWithGaps[]> {
  const { rows } = await sql<DeviceWithGaps>`
    select id, serial from device where id in (
      select device_id from journal_missing where device_id > ${after}
      union select device_id from device_recovery where device_id > ${after}
      order by device_id limit ${limit}
    ) order by id`.execute(db);
  return rows;
}

/**
 * Updates the missing ranges of a device, and requests one of them from its unit. The command ends when the
 * unit reports its result. If that did not fill the gap, the range is requested again later. Sequences that
 * the unit no longer has become lost.
 */
export async function recoverDevice(database: Database, deviceId: number): Promise<Recovery> {
  const { pool, kysely } = database;
  /* Read first: crossings that the unit sent before the request ended are then stored when the gaps are read. */
  const ended = await endedCommand(kysely, deviceId);
  const lost = await storeAnswer(database, deviceId);
  for (const journal of await journalsWithGaps(kysely, deviceId)) await compareAgain(pool, deviceId, journal);
  return kysely.transaction().execute(async (trx) => {
    const missing = await readMissing(trx, deviceId);
    const requested = await requestMissing(trx, { deviceId, missing, ended });
    return { missing: sizeOf(missing), lost, ...(requested && { requested }) };
  });
}

/** The latest request, if it has ended. */
async function endedCommand(db: Kysely<unknown>, deviceId: number): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    select command.id from device_recovery recovery
    join device_command command on command.id = recovery.command_id and command.device_id = recovery.device_id
    where recovery.device_id = ${deviceId} and (finished_at is not null or expires_at <= now())`.execute(db);
  return rows[0]?.id ?? null;
}

/** The most comparisons in a row; together more than a unit sends between two calls. */
const mostComparisons = 50;

async function compareAgain(pool: Pool, deviceId: number, journal: string): Promise<void> {
  for (let count = 0; count < mostComparisons; count += 1) {
    const accounted = await updateCoverage(pool, { deviceId, journal, acknowledged: 0, lost: [] });
    if (!accounted?.more) return;
  }
}

/** Records sequences as lost that the unit reports missing in its answer to the latest request, within its range. */
async function storeAnswer({ pool, kysely }: Database, deviceId: number): Promise<number> {
  const { rows } = await sql<Range & { journal: string }>`
    select command->>'journal' as journal,
      greatest((answer->>0)::float8, (command->>'first')::float8) as first,
      least((answer->>1)::float8, (command->>'last')::float8) as last
    from device_recovery recovery
    join device_command command on command.id = recovery.command_id and command.device_id = recovery.device_id
    cross join lateral jsonb_array_elements(
      case when jsonb_typeof(command.missing) = 'array' then command.missing else '[]' end
    ) answer
    where recovery.device_id = ${deviceId} and finished_at is not null`.execute(kysely);
  const journal = rows[0]?.journal ?? '';
  let lost: readonly Range[] = rows;
  let found = 0;
  for (let count = 0; count < mostComparisons && lost.length > 0; count += 1) {
    const accounted = await updateCoverage(pool, { deviceId, journal, acknowledged: 0, lost });
    found += accounted?.lost ?? 0;
    lost = accounted?.lostUnseen ?? [];
  }
  return found;
}

async function journalsWithGaps(db: Kysely<unknown>, deviceId: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct name from journal_missing join journal on journal.id = journal_id
    where journal_missing.device_id = ${deviceId}`.execute(db);
  return rows.map(({ name }) => name);
}

async function readMissing(db: Transaction<unknown>, deviceId: number): Promise<Missing[]> {
  const { rows } = await sql<Missing>`
    select journal.name as journal, first::float8 as first, last::float8 as last,
      (extract(epoch from now() - since) * 1000)::float8 as age
    from journal_missing missing join journal on journal.id = missing.journal_id
    where missing.device_id = ${deviceId} order by journal_id, first limit 10000`.execute(db);
  return rows;
}
