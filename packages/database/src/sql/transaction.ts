import type { ClientBase } from 'pg';

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
