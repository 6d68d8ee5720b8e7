import { type Change, type ChangeEntry, changeOf } from '../occupancy/change.ts';
import type { RunStatement } from '../sql/run-statement.ts';

/** Change records in the order in which they were written, and their changes. */
export interface ReadChanges {
  readonly ids: readonly string[];
  readonly changes: readonly Change[];
  /** When the first of them was written (epoch ms). */
  readonly since: number | undefined;
  /** There may be more records. */
  readonly more: boolean;
}

/** The most change records in one round. */
const most = 2_000;

/** The oldest change records that are not applied yet. */
export async function readChanges(run: RunStatement): Promise<ReadChanges> {
  const rows = await run<{ id: string; since: number; changes: ChangeEntry[] }>('read-changes', statement, [
    most,
  ]);
  return {
    ids: rows.map(({ id }) => id),
    changes: rows.flatMap(({ changes }) => changes.map(changeOf)),
    since: rows[0]?.since,
    more: rows.length === most,
  };
}

const statement = `
  select id, changes, (extract(epoch from written_at) * 1000)::float8 as since
  from change order by id limit $1::integer`;
