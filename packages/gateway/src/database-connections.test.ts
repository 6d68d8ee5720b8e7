import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { connect } from '@visitor-counter/database/sql/connect';
import { runStatement } from '@visitor-counter/database/sql/query-builder';
import { startDatabaseProxy, throughProxy } from '@visitor-counter/test/tcp-proxy';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test, vi } from 'vitest';

test('does not reuse a connection that still waits for an answer', async () => {
  const url = await testDatabase();
  const proxy = await startDatabaseProxy(url);
  const queryDeadline = 60_000;
  const options = { applicationName: 'test', maxConnections: 1, queryDeadline };
  const database = connect(throughProxy(url, proxy), options);
  onTestFinished(() => database.close());
  const ask = (connected = () => {}) =>
    database.kysely.connection().execute((connection) => {
      connected();
      return connection.selectNoFrom((select) => select.fn<number>('pg_backend_pid').as('pid')).execute();
    });
  const before = await ask();

  onTestFinished(() => void vi.useRealTimers());
  const hung = ask(() => {
    proxy.swallow();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  hung.catch(() => {});
  await expect.poll(() => vi.isFakeTimers() && vi.getTimerCount()).toBeGreaterThan(0);
  vi.advanceTimersByTime(queryDeadline);
  await expect(hung).rejects.toThrow('timeout');
  vi.useRealTimers();
  proxy.carry();

  expect(await ask()).not.toEqual(before);
});

test('disables JIT compilation of statements for reading and storing connections', async () => {
  const url = await testDatabase();
  const database = connect(url, { applicationName: 'test' });
  onTestFinished(() => database.close());
  const storing = new StoringConnection(url, 'test');
  onTestFinished(() => storing.close());
  const show = 'show jit';

  const read = await database.pool.query(show);
  const stored = await storing.use((db) => runStatement<{ jit: string }>(db, show));
  expect([read.rows, stored]).toEqual([[{ jit: 'off' }], [{ jit: 'off' }]]);
});
