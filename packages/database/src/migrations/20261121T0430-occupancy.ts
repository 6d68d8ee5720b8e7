import { type Kysely, sql } from 'kysely';

/** The state of occupancy by quarter hour, made for all crossings that are stored; a version of assignments. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  /*
   * What the crossings of a store in one quarter hour (counted from 1970, UTC) do to its occupancy:
   * x -> greatest(floor, x + sum); a sum of null is -infinity. Those at unfolded_from or later are not in it.
   * parts: the same in pieces, [[from, count, sum, floor], ...] with from in epoch ms.
   */
  `create table occupancy_quarter (
     store_id integer not null,
     quarter integer not null,
     sum integer default 0,
     floor integer not null default 0,
     latest_at timestamptz,
     unfolded_from timestamptz,
     unfolded_count integer not null default 0,
     unfolded_added integer not null default 0,
     parts json not null default '[]',
     primary key (store_id, quarter)
   ) with (fillfactor = 50)`,
  `lock table crossing in share row exclusive mode`,
  `insert into occupancy_quarter (store_id, quarter, sum, floor, latest_at, parts)
   select store_id, quarter, total, total - lowest, latest,
     json_build_array(json_build_array(quarter * 900000::bigint, count, total, total - lowest))
   from (
     select store_id, quarter, sum(direction) as total, min(so_far) as lowest, max(at) as latest, count(*) as count
     from (
       select store_id, quarter, at, direction,
         sum(direction) over (
           partition by store_id, quarter order by at, device_id, name collate "C", sequence rows unbounded preceding
         ) as so_far
       from (
         select crossing.*, journal.name, floor(extract(epoch from at) / 900)::integer as quarter
         from crossing join journal on journal.id = crossing.journal_id
       ) crossing
     ) crossing
     group by store_id, quarter
   ) quarter`,

  /* One row: which store a device belongs to may be remembered for as long as the number is the same. */
  `create table assignment_version (
     singleton boolean primary key default true check (singleton),
     version bigint not null default 0
   )`,
  `insert into assignment_version default values`,
  `create function count_assignment_version() returns trigger language plpgsql as $$
   begin
     update assignment_version set version = version + 1;
     return null;
   end $$`,
  `create trigger count_assignment_version
   after insert or update or delete or truncate on device_assignment
   for each statement execute function count_assignment_version()`,
];
