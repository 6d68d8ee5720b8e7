import type { withClient } from '@visitor-counter/database/sql/open-client';

type Client = Pick<Parameters<Parameters<typeof withClient>[1]>[0], 'query'>;

/**
 * Executes the statement that was prepared with a text like `pattern`, without its effects, and returns the most rows that a
 * part of it reads, also those that it does not use.
 */
export async function mostRowsRead(client: Client, pattern: string, values: string): Promise<number> {
  const find = 'select name from pg_prepared_statements where statement like $1';
  const [prepared] = (await client.query<{ name: string }>(find, [pattern])).rows;
  await client.query('begin');
  const { rows: lines } = await client.query<{ 'QUERY PLAN': string }>(
    `explain (analyze, timing off) execute "${prepared?.name}" (${values})`,
  );
  await client.query('rollback');
  const found = lines.flatMap((line) => {
    const read = /(?:actual rows=|Rows Removed by .*: )(\d+)(?:.*loops=(\d+))?/.exec(line['QUERY PLAN']);
    return read ? Number(read[1]) * Number(read[2] ?? 1) : [];
  });
  return Math.max(...found);
}
