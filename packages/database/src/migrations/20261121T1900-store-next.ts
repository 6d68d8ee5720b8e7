import { type Kysely, sql } from 'kysely';

/**
 * Stores, in one statement, rows that are new and the states that their quarters have then, and gives the transaction that
 * did. Fails with 23505 where a row's key is there already, and with 40001 where a quarter was not last written by the
 * transaction that is expected, or where the assignments are not those of the version that is expected.
 *
 * Its arguments are the columns of the rows (from `journal_ids` on), of the quarters (from `quarter_stores` on), the number
 * of the lock (`assignmentLock`) and the expected version. Each statement in it sees what others have committed before
 * it begins, as in every volatile function, so that the version is the one that stands until the transaction ends. Who else
 * is about to write a quarter is waited for, and its row then looked at as it was left.
 *
 * Takes the place of `require_unchanged`.
 */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const statement of ['drop function require_unchanged', storeNext])
    await sql.raw(statement).execute(db);
}

const storeNext = `
  create function store_next(
    journal_ids integer[], device_ids integer[], sequences bigint[], instants double precision[],
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
    select journal_id, device_id, sequence, to_timestamp(ms / 1000), store_id, uncertainty, direction, transaction_number
    from (
      select unnest(journal_ids) as journal_id, unnest(device_ids) as device_id, unnest(sequences) as sequence,
        unnest(instants) as ms, unnest(store_ids) as store_id, unnest(uncertainties) as uncertainty,
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
