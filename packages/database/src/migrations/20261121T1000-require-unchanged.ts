import { type Kysely, sql } from 'kysely';

/** Lets a transaction that is sent as a whole fail where somebody else has written what it depends on. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql
    .raw(
      `create function require_unchanged(unchanged boolean) returns boolean language plpgsql as $$
       begin
         if unchanged then return true; end if;
         raise sqlstate '40001' using message = 'somebody else has written meanwhile';
       end $$`,
    )
    .execute(db);
}
