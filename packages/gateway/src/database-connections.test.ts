import { connect } from '@visitor-counter/database/connect';
import { startDatabaseProxy, throughProxy } from '@visitor-counter/test/tcp-proxy';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test } from 'vitest';

test('gives nobody a connection on which an answer is still awaited', async () => {
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
