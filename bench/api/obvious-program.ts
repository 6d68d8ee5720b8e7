import { createServer } from 'node:http';
import { runService } from '@visitor-counter/service/run-service';
import pg from 'pg';

/* The obvious implementation: a window query, rows as objects, JSON.stringify. */
const query = `
  select at as "DateTime", name as "StoreName",
    so_far - least(0, min(so_far) over (
      partition by store_id, day order by at, device_id, journal_id, sequence rows unbounded preceding
    )) as "Amount"
  from (
    select c.*, store.name, (at at time zone time_zone)::date as day, sum(direction) over (
      partition by store_id, (at at time zone time_zone)::date
      order by at, device_id, journal_id, sequence rows unbounded preceding
    ) as so_far
    from crossing c join store on store.id = c.store_id
    where at >= ($1 || ' 00:00 Europe/Berlin')::timestamptz
      and at < ($2::date + 1 || ' 00:00 Europe/Berlin')::timestamptz
  ) counted
  order by name collate "C", at, device_id, journal_id, sequence`;

await runService('obvious', process.env, async () => {
  const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 4 });
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    pool
      .query(query, [searchParams.get('DateFrom'), searchParams.get('DateTo')])
      .then(({ rows }) => response.setHeader('content-type', 'application/json').end(JSON.stringify(rows)))
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const httpPort = typeof address === 'object' ? address?.port : undefined;
  return {
    ready: { httpPort },
    close: async () => {
      server.close();
      await pool.end();
    },
  };
});
