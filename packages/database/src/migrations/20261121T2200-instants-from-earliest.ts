import { type Kysely, sql } from 'kysely';

/**
 * Instants of rows travel as how many ms they are later than the earliest, which is given once (epoch ms): a number of few
 * digits is quicker to write and to read than one with thirteen. An array that is shorter than the others stands for
 * nulls at its end, so that uncertainties, which hardly any row has, may be left out.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const statement of [dropWithInstants, storeNext]) await sql.raw(statement).execute(db);
}

const dropWithInstants = `
  drop function store_next(
    integer[], integer[], bigint[], double precision[], integer[], bigint[], smallint[],
    integer[], integer[], integer[], integer[], double precision[], text[], xid[], bigint, bigint
  )`;

const storeNext = `
  create function store_next(
    earliest double precision, journal_ids integer[], device_ids integer[], sequences bigint[], later_by bigint[],
    store_ids integer[], uncertainties bigint[], directions smallint[],
    quarter_stores integer[], quarter_numbers integer[], sums integer[], floors integer[],
    latest_instants double precision[], parts_as_json text[], expected_writers xid[],
    assignment_lock bigint, expected_version bigint
  ) returns text language plpgsql volatile as $$
  declare
    transaction_number bigint;
    written integer;
  begin
    perform pg_advisory_xact_lock_shared(assignment_lock);
    transaction_number := current_transaction();

    insert into crossing (journal_id, device_id, sequence, at, store_id, uncertainty_ms, direction, transaction)
    select journal_id, device_id, sequence, to_timestamp((earliest + later) / 1000), store_id, uncertainty, direction,
      transaction_number
    from (
      select unnest(journal_ids) as journal_id, unnest(device_ids) as device_id, unnest(sequences) as sequence,
        unnest(later_by) as later, unnest(store_ids) as store_id, unnest(uncertainties) as uncertainty,
        unnest(directions) as direction
    ) sent;

    update occupancy_quarter q set
      sum = next.sum, floor = next.floor, latest_at = to_timestamp(next.latest / 1000), parts = next.parts::json,
      unfolded_from = null, unfolded_count = 0, unfolded_added = 0
    from (
      select unnest(quarter_stores) as store_id, unnest(quarter_numbers) as quarter, unnest(sums) as sum,
        unnest(floors) as floor, unnest(latest_instants) as latest, unnest(parts_as_json) as parts,
        unnest(expected_writers) as written_by
    ) next
    where q.store_id = next.store_id and q.quarter = next.quarter and q.xmin = next.written_by;

    get diagnostics written = row_count;
    if written <> cardinality(quarter_numbers)
      or expected_version is distinct from (select version from assignment_version)
    then
      raise sqlstate '40001' using message = 'somebody else has written meanwhile';
    end if;
    return pg_current_xact_id()::xid::text;
  end $$`;
