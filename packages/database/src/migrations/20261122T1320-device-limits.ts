import { type Kysely, sql } from 'kysely';

/** What limits per device are counted by; ids of journals that no failed or repeated insert uses up. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  /* Journals that exist already do not count as new ones. */
  `alter table journal add column created_at timestamptz not null default '-infinity'`,
  `alter table journal alter column created_at set default now()`,

  /*
   * A sequence loses the numbers of statements that fail or are rolled back. This row does not: who takes a number holds
   * its lock until the transaction ends.
   */
  `create table journal_counter (
     singleton boolean primary key default true check (singleton),
     last_id integer not null
   )`,
  `lock table journal in share row exclusive mode`,
  `insert into journal_counter (last_id) select coalesce(max(id), 0) from journal`,
  `create function next_journal_id() returns integer language sql volatile as $$
     update journal_counter set last_id = last_id + 1 returning last_id
   $$`,
  `alter table journal alter column id drop identity`,
  `alter table journal alter column id set default next_journal_id()`,

  /*
   * Of a device and a day of UTC (days since 1970): \`crossed\`, how many stored crossings have instants on it;
   * \`arrived\`, how many were newly stored on it. A gateway adds to both now and then.
   */
  `create table device_day (
     device_id integer not null references device,
     day integer not null,
     crossed bigint not null default 0,
     arrived bigint not null default 0,
     primary key (device_id, day)
   )`,

  `create index rejected_message_over_limit on rejected_message (device_id, received_at)
   where reason like 'limit:%'`,
];
