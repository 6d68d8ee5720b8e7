import { kim } from '@visitor-counter/test/author';
import { connected } from '@visitor-counter/test/connected';
import { testDatabase } from '@visitor-counter/test/test-database';
import { readTopology } from '../src/file/read-topology.ts';
import type { Applied } from '../src/topology/applied.ts';
import { applyTopology } from '../src/topology/apply-topology.ts';
import { adminOn } from './run-admin.ts';

/** An empty database for the current test, commands on it, and a function that applies topology files to it. */
export async function emptyDatabase() {
  const url = await testDatabase();
  const db = connected(url, 2);
  const apply = async (text: string): Promise<Applied> =>
    await applyTopology(db, kim, 'file.yaml', readTopology(text, 'file.yaml'));
  const rows = async (sql: string, values: unknown[] = []) => (await db.pool.query(sql, values)).rows;
  return { url, run: adminOn(url), apply, rows };
}
