import { type Kysely, sql } from 'kysely';
import { addDeviceCommand } from '../operating/unit-orders.ts';
import type { Schema } from '../schema.ts';

/** A unit that was ordered to begin a new journal. */
export interface OrderedJournal {
  readonly serial: string;
  readonly journal: string;
}

/** How long a unit that is offline can still get the command (ms). */
const valid = 24 * 60 * 60_000;

/** How many orders one call makes. */
const most = 100;

/**
 * Orders a new journal from each device of which two units write the same one. One order for a journal at a time.
 * Whichever unit is connected gets it; if the other one goes on to write the old journal, that shows again and leads to
 * the next order, for as long as two write it.
 */
export async function orderNewJournals(db: Kysely<Schema>): Promise<OrderedJournal[]> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<OrderedJournal & { journalId: number; deviceId: number }>`
      select cloned.journal_id as "journalId", cloned.device_id as "deviceId", journal.name as journal, serial
      from cloned_journal cloned
      join journal on journal.id = cloned.journal_id
      join device on device.id = cloned.device_id
      left join device_command command
        on command.id = cloned.command_id and command.device_id = cloned.device_id
      where cloned.confirmed_at is not null
        and coalesce(ordered_at < now() - interval '10 seconds', true)
        and case when command.id is null then seen_at > coalesce(ordered_at, '-infinity')
          when finished_at is null then expires_at <= now()
          else seen_at > finished_at end
      order by cloned.journal_id limit ${most}
      for update of cloned skip locked`.execute(trx);
    for (const { journalId, deviceId, journal } of rows) {
      const command = { command: 'begin-journal', journal } as const;
      const id = await addDeviceCommand(trx, deviceId, command, new Date(Date.now() + valid));
      await sql`
        update cloned_journal set command_id = ${id}, ordered_at = now() where journal_id = ${journalId}`.execute(
        trx,
      );
    }
    return rows.map(({ serial, journal }) => ({ serial, journal }));
  });
}
