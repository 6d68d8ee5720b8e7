import { connect } from '@visitor-counter/database/sql/connect';
import { kim } from '@visitor-counter/test/author';
import { testDatabase } from '@visitor-counter/test/test-database';
import { onTestFinished } from 'vitest';
import { readTopology } from '../src/file/read-topology.ts';
import type { Applied } from '../src/topology/applied.ts';
import { applyTopology } from '../src/topology/apply-topology.ts';

/** An empty database for the current test, and a function that applies topology files to it. */
export async function emptyDatabase() {
  const url = await testDatabase();
  const db = connect(url, { applicationName: 'test', maxConnections: 2 });
  onTestFinished(() => db.close());
  const apply = async (text: string): Promise<Applied> =>
    await applyTopology(db, kim, 'file.yaml', readTopology(text, 'file.yaml'));
  const rows = async (sql: string, values: unknown[] = []) => (await db.pool.query(sql, values)).rows;
  return { url, db, apply, rows };
}
