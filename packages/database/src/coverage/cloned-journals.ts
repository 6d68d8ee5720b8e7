import { type Kysely, sql } from 'kysely';
import type { ClientBase } from 'pg';
import type { CrossingRow } from '../crossings/crossing-row.ts';
import { addAutomaticCommand } from '../devices/unit-commands.ts';
import { numberColumns } from '../sql/arrays.ts';
import type { DB } from '../sql/schema.ts';

/**
 * Records that crossings conflict with stored ones, in the transaction that stores them as rejected: their journal is
 * written by two units, or by one whose card was replaced by an older copy.
 */
export async function recordConflicts(client: ClientBase, rows: readonly CrossingRow[]): Promise<void> {
  if (rows.length === 0) return;
  await client.query(conflictStatement, numberColumns(rows, 'journalId', 'device', 'at'));
}

const conflictStatement = `
  insert into cloned_journal as known (journal_id, device_id, conflicts_from)
  select journal_id, device_id, to_timestamp(min(at) / 1000)
  from unnest($1::integer[], $2::integer[], $3::double precision[]) as conflicting (journal_id, device_id, at)
  group by journal_id, device_id order by journal_id
  on conflict (journal_id) do update set
    conflicts_from = least(known.conflicts_from, excluded.conflicts_from), seen_at = now()`;

/** A unit that was ordered to begin a new journal. */
interface OrderedJournal {
  readonly serial: string;
  readonly journal: string;
}

/** How many orders one call makes. */
const most = 100;

/**
 * Sends the command `begin-journal` to each device whose journal is written by two units, one command per journal at a
 * time. The unit that is connected receives it. If the other unit continues with the old journal, its next conflict leads
 * to the next command.
 */
export async function orderNewJournals(db: Kysely<DB>): Promise<OrderedJournal[]> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<OrderedJournal & { journalId: number; deviceId: number }>`
      select cloned.journal_id as "journalId", cloned.device_id as "deviceId", journal.name as journal, serial
      from cloned_journal cloned
      join journal on journal.id = cloned.journal_id
      join device on device.id = cloned.device_id
      left join device_command command
        on command.id = cloned.command_id and command.device_id = cloned.device_id
      where coalesce(ordered_at < now() - interval '10 seconds', true)
        and case when command.id is null then seen_at > coalesce(ordered_at, '-infinity')
          when finished_at is null then expires_at <= now()
          else seen_at > finished_at end
      order by cloned.journal_id limit ${most}
      for update of cloned skip locked`.execute(trx);
    for (const { journalId, deviceId, journal } of rows) {
      const command = { command: 'begin-journal', journal } as const;
      const id = await addAutomaticCommand(trx, deviceId, command);
      await sql`
        update cloned_journal set command_id = ${id}, ordered_at = now() where journal_id = ${journalId}`.execute(
        trx,
      );
    }
    return rows.map(({ serial, journal }) => ({ serial, journal }));
  });
}
