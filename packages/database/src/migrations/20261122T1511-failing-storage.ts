import { type Kysely, sql } from 'kysely';

/** Devices whose units cannot store crossings, and since when by the server's clock. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql
    .raw(
      `create table failing_storage (
         device_id integer primary key references device,
         since timestamptz not null
       )`,
    )
    .execute(db);
}
