import { type Kysely, sql } from 'kysely';
import type { CrossingRow } from '../crossings/crossing-row.ts';
import { addAutomaticCommand } from '../devices/unit-commands.ts';
import { numberColumns } from '../sql/arrays.ts';
import { runStatement } from '../sql/run-statement.ts';
import type { DB } from '../sql/schema.ts';

/**
 * Records that crossings conflict with stored ones, in the transaction that stores them as rejected: their journal is
 * written by two units, or by one whose card was replaced by an older copy.
 */
export async function recordConflicts(trx: Kysely<DB>, rows: readonly CrossingRow[]): Promise<void> {
  if (rows.length === 0) return;
  await runStatement(trx, conflictStatement, numberColumns(rows, 'journalId', 'at'));
}

const conflictStatement = `
  update journal set conflict_since = coalesce(conflict_since, now()), conflict_at = now(),
    conflicts_from = least(conflicts_from, to_timestamp(earliest / 1000))
  from (
    select id, min(at) as earliest from unnest($1::integer[], $2::double precision[]) as conflicting (id, at) group by id
  ) conflicting
  where journal.id = conflicting.id`;

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
    const { rows } = await sql<OrderedJournal & { id: number; deviceId: number }>`
      select journal.id, journal.device_id, journal.name as journal, serial
      from journal
      join device on device.id = journal.device_id
      left join device_command command on command.id = order_id and command.device_id = journal.device_id
      where conflict_at is not null and coalesce(ordered_at < now() - interval '10 seconds', true)
        and case when command.id is null then conflict_at > coalesce(ordered_at, '-infinity')
          when finished_at is null then expires_at <= now()
          else conflict_at > finished_at end
      order by journal.id limit ${most}
      for update of journal skip locked`.execute(trx);
    for (const { id, deviceId, journal } of rows) {
      const orderId = await addAutomaticCommand(trx, deviceId, { command: 'begin-journal', journal });
      await trx
        .updateTable('journal')
        .set({ orderId, orderedAt: sql<number>`now()` })
        .where('id', '=', id)
        .execute();
    }
    return rows.map(({ serial, journal }) => ({ serial, journal }));
  });
}
