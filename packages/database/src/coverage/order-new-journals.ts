import { type Kysely, sql } from 'kysely';
import { addDeviceCommand } from '../commands/unit-commands.ts';
import type { Schema } from '../tables/schema.ts';

/** A unit that was ordered to begin a new journal. */
export interface OrderedJournal {
  readonly serial: string;
  readonly journal: string;
}

/** How long a unit that is offline can still receive the command (ms). */
const valid = 24 * 60 * 60_000;

/** How many orders one call makes. */
const most = 100;

/**
 * Sends the command `begin-journal` to each device whose journal is written by two units, one command per journal at a
 * time. The unit that is connected receives it. If the other unit continues with the old journal, its next conflict leads
 * to the next command.
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
