import { connect } from '@visitor-counter/database/sql/connect';

/** The names of the tables that `act` changed, and the entries that it added to the audit log. */
export interface Audited<Result> {
  readonly result: Result;
  readonly changed: readonly string[];
  readonly entries: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Compares all tables before and after `act`, for tests that nothing changes without an entry in the audit log. When a
 * credential was last used is left out.
 */
export async function audited<Result>(url: string, act: () => Promise<Result>): Promise<Audited<Result>> {
  const { pool, close } = connect(url, { applicationName: 'test audit', maxConnections: 1 });
  const digests = async () => {
    const { rows: tables } = await pool.query<{ name: string }>(
      `select tablename as name from pg_tables
       where schemaname = 'public' and tablename <> 'audit_entry'`,
    );
    const each = tables.map(
      ({ name }) =>
        `select '${name}' as name, string_agg((to_jsonb(one) - 'last_used_at')::text, ' ' order by one::text) as digest
         from "${name}" one`,
    );
    const { rows } = await pool.query<{ name: string; digest: string | null }>(each.join(' union all '));
    return new Map(rows.map(({ name, digest }) => [name, digest]));
  };
  try {
    const before = await digests();
    const { rows: first } = await pool.query('select coalesce(max(id), 0) as id from audit_entry');
    const result = await act();
    const after = await digests();
    const { rows: entries } = await pool.query('select * from audit_entry where id > $1 order by id', [
      first[0]?.id,
    ]);
    return {
      result,
      entries,
      changed: [...after.keys()].filter((name) => after.get(name) !== before.get(name)),
    };
  } finally {
    await close();
  }
}
