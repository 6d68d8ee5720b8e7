import { type Kysely, sql } from 'kysely';
import type { DB } from '../sql/schema.ts';

/** Declares all missing crossings of a device lost. Returns how many, by journal. */
export async function declareLost(trx: Kysely<DB>, deviceId: number) {
  const { rows } = await sql<{ journal: string; lost: number }>`
    with found as (
      select id, missing from journal
      where device_id = ${deviceId} and missing_since is not null order by id for update
    )
    update journal set accounted = accounted + found.missing, lost = lost + found.missing,
      missing = '{}', missing_since = null, lost_at = now(), lost_lately = count_sequences(found.missing)
        + case when lost_at > now() - interval '1 day' then lost_lately else 0 end
    from found where journal.id = found.id
    returning name as journal, count_sequences(found.missing) as lost`.execute(trx);
  return rows;
}
