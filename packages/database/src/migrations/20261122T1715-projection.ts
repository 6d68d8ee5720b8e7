import { type Kysely, sql } from 'kysely';

/** Occupancy is derived from crossings by a projector, which reads change records, instead of by those who store. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  'drop trigger note_late_write on occupancy_quarter',
  'drop trigger note_late_delete on occupancy_quarter',
  'drop trigger note_truncate on occupancy_quarter',
  'drop function note_late_change',
  'drop table occupancy_late_change',
  'drop index occupancy_quarter_unfolded',
  `alter table occupancy_quarter drop column parts, drop column unfolded_from, drop column unfolded_count,
     drop column unfolded_added`,

  /*
   * What transactions have changed and the projector has not applied yet: a list of [store, quarter, sum, floor, first,
   * last] for crossings that were added, and of [store, quarter] for quarters to read again.
   */
  `create table change (
     id bigint generated always as identity primary key,
     written_at timestamptz not null default clock_timestamp(),
     changes json not null
   )`,
  `insert into change (changes)
   select json_agg(json_build_array(store_id, quarter)) from occupancy_quarter group by store_id`,

  `drop function store_next(
    double precision, integer[], integer[], bigint[], bigint[], integer[], bigint[], smallint[],
    integer[], integer[], integer[], integer[], double precision[], text[], xid[], bigint, bigint
  )`,
  /*
   * Stores crossings and their change record. False, and nothing is stored, if one of the keys is in the table, or if the
   * assignments of devices are no longer those of \`known_version\`. Each statement in it sees what others have committed
   * before it begins: while the lock is held, no device moves. Instants are epoch ms.
   */
  `create function store_crossings(
    journal_ids integer[], device_ids integer[], sequences bigint[], instants double precision[],
    store_ids integer[], uncertainties bigint[], directions smallint[],
    changes json, assignment_lock bigint, known_version bigint
  ) returns boolean language plpgsql volatile as $$
  declare
    transaction_number bigint;
  begin
    perform pg_advisory_xact_lock_shared(assignment_lock);
    transaction_number := current_transaction();
    if known_version is distinct from (select version from assignment_version) then return false; end if;

    insert into crossing (journal_id, device_id, sequence, at, store_id, uncertainty_ms, direction, transaction)
    select journal_id, device_id, sequence, to_timestamp(ms / 1000), store_id, uncertainty, direction,
      transaction_number
    from (
      select unnest(journal_ids) as journal_id, unnest(device_ids) as device_id, unnest(sequences) as sequence,
        unnest(instants) as ms, unnest(store_ids) as store_id, unnest(uncertainties) as uncertainty,
        unnest(directions) as direction
    ) sent;
    insert into change (changes) values (changes);
    return true;
  exception when unique_violation then
    return false;
  end $$`,
];
