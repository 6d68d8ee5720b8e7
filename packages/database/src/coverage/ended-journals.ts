import { type Kysely, sql } from 'kysely';
import { numberColumns, runStatement } from '../sql/query-builder.ts';
import type { DB } from '../sql/schema.ts';
import type { ReportedJournal } from './update-coverage.ts';

/**
 * The other journals of units that report what they write, as after their card was replaced: what a unit had recorded there
 * counts as acknowledged, so that it is missing until it is delivered or declared lost. Without those that are accounted for.
 */
export async function findEndedJournals(
  db: Kysely<DB>,
  reports: readonly ReportedJournal[],
): Promise<(ReportedJournal & { readonly serial: string })[]> {
  const written = reports.filter(({ recorded }) => recorded !== undefined);
  if (written.length === 0) return [];
  const names = [...numberColumns(written, 'deviceId'), written.map(({ journal }) => journal)];
  return await runStatement(db, statement, names);
}

const statement = `
  select device_id, serial, journal.name as journal, recorded as acknowledged, '{}'::text[] as lost
  from journal join device on device.id = device_id
  where device_id = any($1::integer[]) and not int8range(1, recorded + 1) <@ (accounted + missing)
    and not exists (
      select from unnest($1::integer[], $2::text[]) as said (device_id, name)
      where said.device_id = journal.device_id and said.name = journal.name
    )`;

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
