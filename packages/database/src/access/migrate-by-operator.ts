import { type Author, recordAuditBy } from '../audit/record-audit.ts';
import { migrate } from '../migrations/migrate.ts';
import { withClient } from '../sql/create-database.ts';
import { onClient } from '../sql/run-statement.ts';

/**
 * Brings the schema up to date, and the rights of the roles if the user of the URL owns the tables. Returns the names of the
 * migrations that it applied, which the audit log has too.
 */
export async function migrateByOperator(url: string, author: Author): Promise<string[]> {
  const migrations = await migrate(url);
  await withClient(url, async (client) => {
    await client.query('select grant_access()');
    if (migrations.length === 0) return;
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    const subject = { kind: 'database' as const, key: rows[0]?.name ?? '' };
    await recordAuditBy(onClient(client), author, {
      ...{ action: 'migrated', company: null, subject, details: { migrations } },
    });
  });
  return migrations;
}
