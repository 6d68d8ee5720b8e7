import { CompiledQuery, Kysely } from 'kysely';
import type { ClientBase, QueryResultRow } from 'pg';
import type { DB } from './schema.ts';

/**
 * What a statement can run on. Code receives its access to the database in one of these forms:
 *
 * - `Database`: the pool of a process, for code that begins transactions or snapshots.
 * - `Kysely<DB>`: any connection of the pool, or the one of a snapshot or of a transaction. `Transaction<DB>`
 *   is required where the statements are only correct in a transaction. This is the usual form.
 * - `ClientBase`: one connection of the driver, for work that prepares or pipelines its statements, or changes the state
 *   of its connection: ingest, the projector, removal, migrations, setup, backup and restore.
 * - `Connection`: one of the last two, for statements that both kinds of work share.
 */
export type Connection = Kysely<DB> | ClientBase;

/** Runs a statement that always has this text under this name. A connection of the driver plans it once. */
export async function runStatement<Row extends QueryResultRow>(
  connection: Connection,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  if (connection instanceof Kysely)
    return (await connection.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
  return (await connection.query<Row>({ name, text, values: [...values] })).rows;
}

/** Runs `work` in a transaction, which has committed when this returns. */
export async function inTransaction<Result>(
  client: ClientBase,
  work: () => Promise<Result>,
  begin = 'begin',
): Promise<Result> {
  await client.query(begin);
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
