import { type Kysely, sql } from 'kysely';

/** What staff counted, entry by entry, for ever: nothing is changed or deleted here. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  /* Either a number of people inside at an instant, or the undoing of an earlier entry, once. */
  `create table correction (
     id bigint generated always as identity primary key,
     store_id integer not null references store,
     at timestamptz not null,
     people integer check (people >= 0),
     undoes bigint unique references correction,
     entered_by text not null,
     note text not null default '',
     credential_id integer references credential,
     entered_at timestamptz not null default now(),
     check ((people is null) = (undoes is not null))
   )`,
  `create index correction_of_store on correction (store_id, at, id)`,
  `create view correction_in_force as
   select id, store_id, at, people from correction
   where people is not null and not exists (select from correction undo where undo.undoes = correction.id)`,
];
