import type { RunStatement } from '../sql/run-statement.ts';

/**
 * Records up to which transaction the projection contains everything. The snapshot of the open transaction must be the
 * one with which all change records were read and applied. Deletes records that are older than 90 days.
 */
export async function recordProgress(run: RunStatement): Promise<void> {
  await run('record-progress', statement, []);
}

const statement = `
  with expired as (
    delete from projection_progress where at < now() - interval '90 days'
  )
  insert into projection_progress (applied_before, begun_before)
  select transactions_before + pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
    transactions_before + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  from installation
  on conflict do nothing`;
