import { type Kysely, sql, type Transaction } from 'kysely';
import type { Pool } from 'pg';
import type { Database } from '../connect.ts';
import { addDeviceCommand } from '../operating/unit-orders.ts';
import type { Schema } from '../schema.ts';
import { accountFor } from './account-for.ts';
import { type Range, sizeOf } from './ranges.ts';

/** What one look at a device has led to. */
export interface Recovery {
  readonly serial: string;
  /** Crossings that are still missing. */
  readonly missing: number;
  /** Crossings that its unit no longer has. */
  readonly lost: number;
  /** What was requested from its unit now. */
  readonly requested?: { readonly journal: string; readonly first: number; readonly last: number };
}

/** The devices of which something is missing, or was requested, after one of them by id, at most `limit`. */
export async function findDevicesWithGaps(pool: Pool, after: number, limit: number): Promise<number[]> {
  const { rows } = await pool.query<{ device_id: number }>({
    name: 'find-devices-with-gaps',
    text: `select device_id from journal_missing where device_id > $1
           union select device_id from device_recovery where device_id > $1
           order by device_id limit $2`,
    values: [after, limit],
  });
  return rows.map(({ device_id }) => device_id);
}

/**
 * Looks again at what is missing of a device, and requests it from its unit: one range at a time, each by a command
 * that ends when the unit says so, and again later if that did not fill the gap. What the unit no longer has becomes
 * lost. Ranges that were found less than `patience` ms ago are not requested yet.
 */
export async function recoverDevice(
  { pool, kysely }: Database,
  deviceId: number,
  patience: number,
): Promise<Recovery> {
  const lost = await keepAnswer(pool, deviceId);
  for (const journal of await journalsWithGaps(pool, deviceId)) {
    await accountFor(pool, { deviceId, journal, acknowledged: 0, lost: [] });
  }
  return kysely.transaction().execute(async (trx) => {
    const missing = await readMissing(trx, deviceId);
    const requested = await request(trx, deviceId, missing, patience);
    const serial = missing[0]?.serial ?? (await serialOf(trx, deviceId));
    return { serial, missing: sizeOf(missing), lost, ...(requested && { requested }) };
  });
}

/** What the unit has answered to the latest request that it no longer has, within what was requested, is lost. */
async function keepAnswer(pool: Pool, deviceId: number): Promise<number> {
  const { rows } = await pool.query<{ journal: string; first: string; last: string }>({
    name: 'find-lost-by-answer',
    text: `select command->>'journal' as journal,
             greatest((answer->>0)::numeric, (command->>'first')::numeric) as first,
             least((answer->>1)::numeric, (command->>'last')::numeric) as last
           from device_recovery recovery
           join device_command command on command.id = recovery.command_id and command.device_id = $1
           cross join lateral jsonb_array_elements(
             case when jsonb_typeof(command.missing) = 'array' then command.missing else '[]' end
           ) answer
           where recovery.device_id = $1 and finished_at is not null`,
    values: [deviceId],
  });
  const [first] = rows;
  if (first === undefined) return 0;
  const lost = rows.map((row) => ({ first: Number(row.first), last: Number(row.last) }));
  const accounted = await accountFor(pool, { deviceId, journal: first.journal, acknowledged: 0, lost });
  return accounted?.lost ?? 0;
}

async function journalsWithGaps(pool: Pool, deviceId: number): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>({
    name: 'find-journals-with-gaps',
    text: `select distinct name from journal_missing join journal on journal.id = journal_id
           where journal_missing.device_id = $1`,
    values: [deviceId],
  });
  return rows.map(({ name }) => name);
}

interface Missing extends Range {
  readonly serial: string;
  readonly journal: string;
  /** How long ago it was found (ms). */
  readonly age: number;
}

async function readMissing(db: Transaction<Schema>, deviceId: number): Promise<Missing[]> {
  const { rows } = await sql<Missing>`
    select serial, journal.name as journal, first::float8 as first, last::float8 as last,
      (extract(epoch from now() - since) * 1000)::float8 as age
    from journal_missing missing
    join journal on journal.id = missing.journal_id
    join device on device.id = missing.device_id
    where missing.device_id = ${deviceId} order by journal_id, first limit 10000`.execute(db);
  return rows;
}

async function serialOf(db: Kysely<Schema>, deviceId: number): Promise<string> {
  const row = await db.selectFrom('device').select('serial').where('id', '=', deviceId).executeTakeFirst();
  return row?.serial ?? '';
}

/** How long a unit that is offline can still get the command (ms). */
const valid = 24 * 60 * 60_000;

/** Until the next request after one that has brought nothing (ms). */
const backOff = { first: 60_000, longest: 6 * 60 * 60_000 };

interface State {
  readonly isOpen: boolean;
  /** There is a request that has ended. */
  readonly isOrdered: boolean;
  /** How long ago that was made (ms). */
  readonly age: number;
  readonly missing: number;
  readonly attempts: number;
  readonly isDue: boolean;
}

async function request(
  db: Transaction<Schema>,
  deviceId: number,
  missing: readonly Missing[],
  patience: number,
): Promise<Recovery['requested']> {
  const total = sizeOf(missing);
  const state = await lockState(db, deviceId);
  if (state === undefined) return undefined;
  if (total === 0) {
    await db.deleteFrom('device_recovery').where('device_id', '=', deviceId).execute();
    return undefined;
  }
  if (state.isOpen) return undefined;
  if (state.isOrdered) {
    const isNew = missing.every(({ age }) => age < state.age);
    const failed = isNew || total < state.missing ? 0 : state.attempts + 1;
    await conclude(db, deviceId, failed);
    return failed === 0 ? request(db, deviceId, missing, patience) : undefined;
  }
  const range = nextRange(missing, state.attempts, patience);
  if (range === undefined || !state.isDue) return undefined;
  const expiresAt = new Date(Date.now() + valid);
  const id = await addDeviceCommand(db, deviceId, { command: 'resend', ...range }, expiresAt);
  await db
    .updateTable('device_recovery')
    .set({ command_id: id, missing: total })
    .where('device_id', '=', deviceId)
    .execute();
  return range;
}

/** The latest request has ended: the next one follows at once if it has brought anything, else later and later. */
async function conclude(db: Transaction<Schema>, deviceId: number, failed: number): Promise<void> {
  const pause = failed === 0 ? 0 : Math.min(backOff.first * 2 ** (failed - 1), backOff.longest);
  await db
    .updateTable('device_recovery')
    .set({
      command_id: null,
      attempts: failed,
      next_at: sql<Date>`now() + ${pause}::float8 * interval '1 millisecond'`,
    })
    .where('device_id', '=', deviceId)
    .execute();
}

/** Undefined while another gateway is at it. */
async function lockState(db: Transaction<Schema>, deviceId: number): Promise<State | undefined> {
  await sql`
    insert into device_recovery (device_id, missing) select id, 0 from device where id = ${deviceId}
    on conflict do nothing`.execute(db);
  const { rows } = await sql<State>`
    select command.id is not null as "isOrdered",
      coalesce(extract(epoch from now() - command.created_at) * 1000, 0)::float8 as age,
      coalesce(command.finished_at is null and command.expires_at > now(), false) as "isOpen",
      recovery.missing::float8 as missing, attempts, next_at <= now() as "isDue"
    from device_recovery recovery
    left join device_command command on command.id = recovery.command_id and command.device_id = recovery.device_id
    where recovery.device_id = ${deviceId} for update of recovery skip locked`.execute(db);
  return rows[0];
}

/** With more ranges than this in a journal, several are requested together with what is between them. */
const mostRanges = 16;

/** Journals take turns while requests bring nothing: a unit may no longer have one of them. */
function nextRange(
  missing: readonly Missing[],
  attempts: number,
  patience: number,
): { journal: string; first: number; last: number } | undefined {
  const due = missing.filter(({ age }) => age >= patience);
  const journals = [...Map.groupBy(due, ({ journal }) => journal)];
  const [journal, ranges] = journals[attempts % journals.length] ?? [];
  const first = ranges?.[0];
  if (journal === undefined || ranges === undefined || first === undefined) return undefined;
  const last = ranges[Math.ceil(ranges.length / mostRanges) - 1] ?? first;
  return { journal, first: first.first, last: last.last };
}
