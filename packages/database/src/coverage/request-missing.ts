import { sql } from 'kysely';
import { addAutomaticCommand } from '../devices/unit-commands.ts';
import { lockKeys, tryLock } from '../sql/advisory-locks.ts';
import type { Db } from '../sql/query-builder.ts';
import { idleTimeout } from './compare-journals.ts';

/** The requests for missing sequences to the device of a journal. */
const requests = sql`
  device_command request where request.device_id = journal.device_id and request.command->>'command' = 'continue'`;
const aboutJournal = sql`request.command->>'journal' = journal.name`;

/** A unit that was asked to continue a journal from a sequence on. */
interface Requested {
  readonly deviceId: number;
  readonly serial: string;
  readonly journal: string;
  readonly from: number;
}

/** How many commands one call sends. */
const most = 100;

/** How many requests a unit gets within an hour, whatever journals it reports: they are kept for 90 days. */
const mostHourly = 100;

/**
 * Asks units to continue the journals that they still have from the first missing sequence on, one of a device at a time, and
 * again a minute later, but not while the latest heartbeat says that the unit will deliver it, and at most `mostHourly` times
 * an hour. Redelivery is harmless. One gateway does this at a time; returns what was requested.
 */
export async function requestMissing(db: Db): Promise<readonly Requested[]> {
  return db.transaction().execute(async (trx) => {
    if (!(await tryLock(trx, lockKeys.requests, idleTimeout))) return [];
    const { rows } = await sql<Requested>`
      select distinct on (device_id) device_id, serial, journal.name as journal, lower(missing) as "from"
      from journal join device on device.id = device_id
      join device_state using (device_id)
      cross join lateral jsonb_to_recordset(jsonb_build_array(
          coalesce(heartbeat, '{}'), coalesce(heartbeat->'volatile', '{}')))
        as said (journal text, recorded bigint, acknowledged bigint)
      where missing_since is not null and said.journal = journal.name
        and (said.acknowledged < lower(missing) and lower(missing) <= said.recorded) is not true
        and not exists (
          select from ${requests} and (finished_at is null and expires_at > now()
            or ${aboutJournal} and request.created_at > now() - interval '1 minute')
        )
        and (select count(*) from ${requests} and request.created_at > now() - interval '1 hour') < ${mostHourly}
      order by device_id, missing_since limit ${most}`.execute(trx);
    for (const { deviceId, journal, from } of rows)
      await addAutomaticCommand(trx, deviceId, { command: 'continue', journal, from });
    return rows;
  });
}

/** A unit that was ordered to begin a new journal. */
interface OrderedJournal {
  readonly serial: string;
  readonly journal: string;
}

/**
 * Sends the command `begin-journal` to each device whose journal is written by two units, again if there are still conflicts
 * ten minutes later. The unit that is connected receives it.
 */
export async function orderNewJournals(db: Db): Promise<OrderedJournal[]> {
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
