import { holdLock } from '@visitor-counter/test/held-lock';
import { expect, test } from 'vitest';
import { inTransaction } from '../../../test/many-crossings.ts';
import { cross, oneStore, token } from '../../../test/one-store.ts';

test('ends the running statement of a report whose caller has disconnected, and runs no further one', async () => {
  const api = await oneStore({ limits: { statement: 600_000 } });
  await cross(api, [['2026-11-20T08:05:00Z', 1]]);
  await holdLock(api.databaseUrl, 'lock table quarter, day in access exclusive mode');
  for (const path of ['/v1/counts', '/v1/visitors', '/v1/counts?format=csv']) {
    const caller = new AbortController();
    const headers = { authorization: `Bearer ${token}` };
    const asked = fetch(`http://127.0.0.1:${api.port}${path}`, { signal: caller.signal, headers });
    await expect.poll(() => waitingForLock(api)).toBe(1);
    caller.abort();
    await expect(asked).rejects.toThrow('aborted');
    await expect.poll(() => inTransaction(api)).toBe(0);
  }
  expect(api.logged()).not.toContain('request failed');
});

async function waitingForLock({ seed }: Awaited<ReturnType<typeof oneStore>>): Promise<number> {
  const found = await seed.query(
    `select from pg_stat_activity
     where application_name = 'visitor-counter api' and datname = current_database() and wait_event_type = 'Lock'`,
  );
  return found.length;
}
