import { type Kysely, sql } from 'kysely';

/** Finds the quarters whose end is not folded yet, which are few, without reading all there are. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create index occupancy_quarter_unfolded on occupancy_quarter (unfolded_count)
       where unfolded_from is not null`,
    )
    .execute(db);
}
