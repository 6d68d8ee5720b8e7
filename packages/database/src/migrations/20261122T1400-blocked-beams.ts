import { type Kysely, sql } from 'kysely';

/**
 * Beams that are blocked, and since when by the server's clock: the arrival of the first heartbeat that said so. What a
 * unit says about the duration does not count.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql
    .raw(
      `create table blocked_beam (
         device_id integer not null references device,
         position smallint not null,
         since timestamptz not null,
         primary key (device_id, position)
       )`,
    )
    .execute(db);
}
