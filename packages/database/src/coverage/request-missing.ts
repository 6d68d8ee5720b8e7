import { type Kysely, sql } from 'kysely';
import { addAutomaticCommand } from '../devices/unit-commands.ts';
import { lockKeys, tryLock } from '../sql/advisory-locks.ts';
import type { DB } from '../sql/schema.ts';
import type { Range, ReportedJournal } from './update-coverage.ts';

/** A journal with missing sequences. */
interface IncompleteJournal extends ReportedJournal {
  readonly id: number;
  readonly serial: string;
}

/**
 * Journals with missing sequences, by id, after the id `after`, at most `limit`. Their lost sequences are those that their
 * units report missing in the answer to the latest request, within its range.
 */
export async function findIncompleteJournals(
  db: Kysely<DB>,
  after: number,
  limit: number,
): Promise<IncompleteJournal[]> {
  const { rows } = await sql<IncompleteJournal>`
    select journal.id, device_id as "deviceId", serial, journal.name as journal, 0 as acknowledged,
      coalesce(answer.lost, '[]') as lost
    from journal join device on device.id = device_id
    left join lateral (${latestRequest}) request on true
    left join lateral (
      select json_agg(json_build_object('first', first, 'last', last)) as lost
      from jsonb_array_elements(case when jsonb_typeof(request.missing) = 'array' then request.missing else '[]' end) part
      cross join lateral (
        select greatest((part->>0)::numeric, request.first) as first, least((part->>1)::numeric, request.last) as last
      ) range
      where request.is_finished and first <= last
    ) answer on true
    where missing_since is not null and journal.id > ${after}
    order by journal.id limit ${limit}`.execute(db);
  return rows;
}

/** A range of sequences that was requested from a unit. */
interface Requested extends Range {
  readonly deviceId: number;
  readonly serial: string;
  readonly journal: string;
}

/** How many commands one call sends. */
const most = 100;

/**
 * Requests the missing sequences of journals from the units that write them, of one journal of a device at a time, with what is stored
 * between them: redelivery is harmless. If a request has filled neither end of its range, the next one follows an hour later.
 * One gateway does this at a time; returns what was requested.
 */
export async function requestMissing(db: Kysely<DB>): Promise<readonly Requested[]> {
  return db.transaction().execute(async (trx) => {
    if (!(await tryLock(trx, lockKeys.requests, idleTimeout))) return [];
    const { rows } = await sql<Requested>`
      select distinct on (device_id) device_id as "deviceId", serial, journal.name as journal,
        lower(journal.missing)::float8 as first, (upper(journal.missing) - 1)::float8 as last
      from journal join device on device.id = device_id
      left join lateral (${latestRequest}) request on true
      where missing_since is not null
        and exists (
          select from device_state
          where device_state.device_id = journal.device_id
            and journal.name in (heartbeat->>'journal', heartbeat->'volatile'->>'journal')
        )
        and not exists (
          select from device_command open
          where open.device_id = journal.device_id and finished_at is null and expires_at > now()
            and command ? 'first'
        )
        and coalesce(request.ended_at < now() - interval '1 hour'
          or not (journal.missing @> request.first and journal.missing @> request.last), true)
      order by device_id, missing_since limit ${most}`.execute(trx);
    for (const { deviceId, journal, first, last } of rows)
      await addAutomaticCommand(trx, deviceId, { command: 'resend', journal, first, last });
    return rows;
  });
}

/** The server ends a transaction that is idle for so long (ms), if a gateway hangs. */
const idleTimeout = 5_000;

/** The latest request for sequences of a journal. */
const latestRequest = sql`
  select command.missing, finished_at is not null as is_finished, coalesce(finished_at, expires_at) as ended_at,
    (command->>'first')::bigint as first, (command->>'last')::bigint as last
  from device_command command
  where command.device_id = journal.device_id and command.command->>'journal' = journal.name
    and command.command ? 'first'
  order by created_at desc limit 1`;

/** A unit that was ordered to begin a new journal. */
interface OrderedJournal {
  readonly serial: string;
  readonly journal: string;
}

/**
 * Sends the command `begin-journal` to each device whose journal is written by two units, again if there are still conflicts
 * ten minutes later. The unit that is connected receives it.
 */
export async function orderNewJournals(db: Kysely<DB>): Promise<OrderedJournal[]> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<OrderedJournal & { deviceId: number }>`
      update journal set ordered_at = now()
      from (
        select id from journal
        where conflict_at is not null and coalesce(conflict_at > ordered_at + interval '10 minutes', true)
        order by id limit ${most} for update skip locked
      ) due, device
      where journal.id = due.id and device.id = device_id
      returning device_id, journal.name as journal, serial`.execute(trx);
    for (const { deviceId, journal } of rows)
      await addAutomaticCommand(trx, deviceId, { command: 'begin-journal', journal });
    return rows.map(({ serial, journal }) => ({ serial, journal }));
  });
}
