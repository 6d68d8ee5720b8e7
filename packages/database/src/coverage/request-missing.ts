import { sql, type Transaction } from 'kysely';
import { addAutomaticCommand } from '../devices/unit-commands.ts';
import { type Range, sizeOf } from './ranges.ts';

/** A range of sequences that was requested from a unit. */
export interface Requested extends Range {
  readonly journal: string;
}

export interface Missing extends Requested {
  /** How long ago it was found (ms). */
  readonly age: number;
}

/** The pause after a request that filled no gap, which doubles with each further one (ms). */
const backOff = { first: 60_000, longest: 6 * 60 * 60_000 };

interface State {
  readonly isOpen: boolean;
  /** The latest request, also one that has ended. */
  readonly commandId: string | null;
  /** How long ago that was made (ms). */
  readonly age: number;
  readonly missing: number;
  readonly attempts: number;
  readonly isDue: boolean;
}

/** The missing ranges of a device. */
interface Due {
  readonly deviceId: number;
  readonly missing: readonly Missing[];
  /** The request that had ended before `missing` was read. */
  readonly ended: string | null;
}

/**
 * Requests the next missing range from the unit of a device, unless an earlier request is open or another gateway is
 * doing the same. After requests that filled no gap the pauses grow. Returns the requested range.
 */
export async function requestMissing(db: Transaction<unknown>, due: Due): Promise<Requested | undefined> {
  const { deviceId, missing, ended } = due;
  const total = sizeOf(missing);
  const state = await lockState(db, deviceId);
  if (state === undefined) return undefined;
  if (total === 0) {
    await sql`delete from device_recovery where device_id = ${deviceId}`.execute(db);
    return undefined;
  }
  if (state.isOpen) return undefined;
  if (state.commandId !== null) {
    if (state.commandId !== ended) return undefined;
    const isNew = missing.every(({ age }) => age < state.age);
    const failed = isNew || total < state.missing ? 0 : state.attempts + 1;
    await conclude(db, deviceId, failed);
    return failed === 0 ? requestMissing(db, due) : undefined;
  }
  const range = nextRange(missing, state.attempts);
  if (range === undefined || !state.isDue) return undefined;
  const id = await addAutomaticCommand(db, deviceId, { command: 'resend', ...range });
  await sql`
    update device_recovery set command_id = ${id}, missing = ${total} where device_id = ${deviceId}`.execute(
    db,
  );
  return range;
}

/**
 * Ends the latest request. The next one follows immediately if this one filled a gap, otherwise after a growing
 * pause.
 */
async function conclude(db: Transaction<unknown>, deviceId: number, failed: number): Promise<void> {
  const pause = failed === 0 ? 0 : Math.min(backOff.first * 2 ** (failed - 1), backOff.longest);
  await sql`
    update device_recovery set command_id = null, attempts = ${failed},
      next_at = now() + ${pause}::float8 * interval '1 millisecond'
    where device_id = ${deviceId}`.execute(db);
}

/** Undefined while another gateway has the lock. */
async function lockState(db: Transaction<unknown>, deviceId: number): Promise<State | undefined> {
  await sql`
    insert into device_recovery (device_id, missing) select id, 0 from device where id = ${deviceId}
    on conflict (device_id) do nothing`.execute(db);
  const { rows } = await sql<State>`
    select command.id as "commandId",
      coalesce(extract(epoch from now() - command.created_at) * 1000, 0)::float8 as age,
      coalesce(command.finished_at is null and command.expires_at > now(), false) as "isOpen",
      recovery.missing::float8 as missing, attempts, next_at <= now() as "isDue"
    from device_recovery recovery
    left join device_command command on command.id = recovery.command_id and command.device_id = recovery.device_id
    where recovery.device_id = ${deviceId} for update of recovery skip locked`.execute(db);
  return rows[0];
}

/** With more missing ranges in a journal, several of them are requested together, with the sequences between them. */
const mostRanges = 16;

/** After each request that filled no gap, the next journal is tried: the unit may no longer have one of them. */
function nextRange(missing: readonly Missing[], attempts: number): Requested | undefined {
  const journals = [...Map.groupBy(missing, ({ journal }) => journal)];
  const [journal, ranges] = journals[attempts % journals.length] ?? [];
  const first = ranges?.[0];
  if (journal === undefined || ranges === undefined || first === undefined) return undefined;
  const last = ranges[Math.ceil(ranges.length / mostRanges) - 1] ?? first;
  return { journal, first: first.first, last: last.last };
}
