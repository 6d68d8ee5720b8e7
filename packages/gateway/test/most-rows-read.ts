import type { inTransaction } from '@visitor-counter/database/sql/run-statement';

type Client = Parameters<typeof inTransaction>[0];

/**
 * Executes a statement that was prepared under this name, without its effects, and returns the most rows that a part of it
 * reads, also those that it does not use.
 */
export async function mostRowsRead(client: Client, name: string, values: string): Promise<number> {
  await client.query('begin');
  const { rows: lines } = await client.query<{ 'QUERY PLAN': string }>(
    `explain (analyze, timing off) execute "${name}" (${values})`,
  );
  await client.query('rollback');
  const found = lines.flatMap((line) => {
    const read = /(?:actual rows=|Rows Removed by .*: )(\d+)(?:.*loops=(\d+))?/.exec(line['QUERY PLAN']);
    return read ? Number(read[1]) * Number(read[2] ?? 1) : [];
  });
  return Math.max(...found);
}
