import { sql } from 'kysely';
import type { ArrivalCursor } from '../crossings/arrival-cursor.ts';
import type { Reader } from '../sql/snapshot.ts';

/** Whether crossings of the company that follow the cursor were removed since its reader had read everything. */
export async function hasMissedCrossings(
  db: Reader,
  companyId: number,
  { transaction, journalId, sequence, begin }: ArrivalCursor,
): Promise<boolean> {
  const { rows } = await sql`
    select from retention_pass
    where company_id = ${companyId}::integer
      and removed_before > to_timestamp(${begin}::float8 * 86400)
      and (last_transaction, last_journal, last_sequence)
        > (${transaction}::bigint, ${journalId}::integer, ${sequence}::bigint)
    limit 1`.execute(db);
  return rows.length > 0;
}
