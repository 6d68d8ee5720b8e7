import { type Kysely, sql } from 'kysely';

/**
 * A history is what one run of one server has done with these tables: a restart, a restore, a point-in-time recovery, the
 * promotion of a standby or tables that were made again begin the next one. `history_origin()` recognises it by facts that
 * no backup brings back. Everything up to `after_transaction` belongs to the histories before it as well; what these had
 * beyond that is lost. So a place in an older history is still a place here exactly when it is not beyond the
 * `after_transaction` of the history that followed that one.
 *
 * Every transaction that writes crossings gets its number from `current_transaction()`, which begins the next history
 * where that is due. A connection that remembers things of the database calls `begin_history()` first; its transactions
 * fail when the history is another one.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

/** Any number that no other user of the same database takes for an advisory lock. */
const lock = 7_210_311_516;

const statements = [
  /* number: the order; a restored database gives the same numbers again, and never the same id, which is 15 digits. */
  `create table history (
     number integer generated always as identity primary key,
     id text not null unique
       default lpad(('x' || left(replace(gen_random_uuid()::text, '-', ''), 12))::bit(48)::bigint::text, 15, '0'),
     origin text not null,
     after_transaction bigint not null,
     begun_at timestamptz not null default now()
   )`,

  /* A table that is emptied, made again, or replaced by renaming has another file or another oid. */
  `create function history_origin() returns text language sql stable as $$
     select concat_ws(' ', extract(epoch from pg_postmaster_start_time()),
       (select oid from pg_database where datname = current_database()),
       string_agg(concat_ws(':', to_regclass(name)::oid, pg_relation_filenode(to_regclass(name))), ' ' order by name))
     from unnest(array['crossing', 'device', 'journal', 'installation']) as name
   $$`,

  /* The newest rows have the highest numbers: a few steps back from the present one find them by the index. */
  `create function highest_transaction() returns bigint language plpgsql volatile set enable_seqscan = off as $$
   declare
     present bigint := (select transactions_before + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
                        from installation);
     found_one bigint := (select max(transaction) from crossing where transaction >= present);
     span bigint := 64;
   begin
     while found_one is null and span < 36000000000000000 loop
       found_one := (select max(transaction) from crossing where transaction >= present - span);
       span := span * 4;
     end loop;
     return coalesce(found_one, -9000000000000000);
   end $$`,

  /* A restore makes the tables, fills them, and adds keys last: a row written meanwhile could take the key of another. */
  `create function require_restored() returns void language plpgsql stable as $$
   begin
     if exists (select from history) and exists (select from installation)
       and exists (select from pg_constraint where contype = 'p' and conrelid = to_regclass('crossing'))
       and exists (select from pg_constraint where contype = 'f' and conrelid = to_regclass('journal'))
     then return; end if;
     raise sqlstate '57P03' using message = 'the database is being restored';
   end $$`,

  /* Several may begin a history at once. Within a transaction that goes on, another one that begins it is not waited for. */
  `create function may_begin_history(wait boolean) returns boolean language plpgsql volatile as $$
   begin
     if not wait then return pg_try_advisory_xact_lock(${lock}); end if;
     perform pg_advisory_xact_lock(${lock});
     return true;
   end $$`,

  /* Transactions that follow get higher numbers than all that are stored, also where those of the server are lower. */
  `create function begin_history(wait boolean default true) returns text language plpgsql volatile set enable_seqscan = off as $$
   declare
     present record;
     highest bigint;
   begin
     perform require_restored();
     for attempt in 1..2 loop
       select id, origin = history_origin() and not exists (
           select from crossing where transaction >= (
             select transactions_before + pg_snapshot_xmax(pg_current_snapshot())::text::bigint from installation)
         ) as goes_on
       into present from history order by number desc limit 1;
       if present.goes_on then return present.id; end if;
       if attempt = 1 and not may_begin_history(wait) then return present.id; end if;
     end loop;
     highest := highest_transaction();
     update installation set transactions_before = highest
     where transactions_before + pg_snapshot_xmax(pg_current_snapshot())::text::bigint <= highest;
     insert into history (origin, after_transaction) values (history_origin(), highest) returning id into present;
     return present.id;
   end $$`,

  `insert into history (origin, after_transaction) values (history_origin(), highest_transaction())`,

  /* A connection that remembers things of the database says by a setting of which history they are true. */
  `create function require_history() returns void language plpgsql volatile as $$
   declare
     known text := nullif(current_setting('visitor_counter.history', true), '');
     present record;
   begin
     select id, origin = history_origin() as goes_on into present from history order by number desc limit 1;
     if present.goes_on and present.id = coalesce(known, present.id) then return; end if;
     if known is null then
       perform begin_history(wait => false);
     else
       raise sqlstate 'VC001' using message = 'the database has begun another history';
     end if;
   end $$`,

  `create or replace function current_transaction() returns bigint language plpgsql volatile as $$
   begin
     perform require_history();
     return (select transactions_before + pg_current_xact_id()::text::bigint from installation);
   end $$`,
];
