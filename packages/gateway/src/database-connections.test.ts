import { StoringConnection } from '@visitor-counter/database/ingest/storing-connection';
import { connect } from '@visitor-counter/database/sql/connect';
import { startDatabaseProxy, throughProxy } from '@visitor-counter/test/tcp-proxy';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';

test('does not reuse a connection that still waits for an answer', async () => {
  const url = await testDatabase();
  const proxy = await startDatabaseProxy(url);
  const options = { applicationName: 'test', maxConnections: 1, queryDeadline: 500 };
  const database = connect(throughProxy(url, proxy), options);
  onTestFinished(() => database.close());
  const ask = () =>
    database.kysely.selectNoFrom((select) => select.fn<number>('pg_backend_pid').as('pid')).execute();
  const before = await ask();

  proxy.swallow();
  await expect(ask()).rejects.toThrow('timeout');
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
  const stored = await storing.use((client) => client.query(show));
  expect([read.rows, stored.rows]).toEqual([[{ jit: 'off' }], [{ jit: 'off' }]]);
});
