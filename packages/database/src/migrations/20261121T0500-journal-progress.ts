import { type Kysely, sql } from 'kysely';

/** How far the crossings of each journal have arrived without a hole. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statement).execute(db);
}

/* Kept apart from `journal`, and with room in its pages: it is written over and over. It can be made
   again from `crossing`; an entry that is behind is brought forward when it is next needed. */
const statement = `
  create table journal_progress (
    journal_id integer primary key references journal on delete cascade,
    through bigint not null
  ) with (fillfactor = 50)`;
