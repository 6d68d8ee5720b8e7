import { connect } from '@visitor-counter/database/sql/connect';
import { runStatement } from '@visitor-counter/database/sql/query-builder';
import { openSnapshot, type Snapshot } from '@visitor-counter/database/sql/snapshot';
import { startDatabaseProxy, throughProxy } from '@visitor-counter/test/tcp-proxy';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, onTestFinished, test, vi } from 'vitest';

/** How long the readers of these tests wait for an answer (ms). */
const queryDeadline = 60_000;

const one = 'select 1';

/** A pool of one connection to a database that can stop answering without closing it. */
async function hangingDatabase() {
  const url = await testDatabase();
  const proxy = await startDatabaseProxy(url);
  const options = { applicationName: 'test', maxConnections: 1, queryDeadline };
  const database = connect(throughProxy(url, proxy), options);
  onTestFinished(() => database.close());
  return { database, proxy };
}

/** Expects that a read fails when one deadline has passed, without any further waiting. */
async function expectEndAfterOneDeadline(hang: (begin: () => void) => Promise<unknown>): Promise<void> {
  onTestFinished(() => void vi.useRealTimers());
  const hung = hang(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  hung.catch(() => {});
  await expect.poll(() => vi.isFakeTimers() && vi.getTimerCount()).toBeGreaterThan(0);
  vi.advanceTimersByTime(queryDeadline);
  await expect(hung).rejects.toThrow('Query read timeout');
  vi.useRealTimers();
}

test.each<[string, (snapshot: Snapshot) => Promise<unknown>]>([
  ['a statement', ({ db }) => runStatement(db, one)],
  ['a copy', ({ copy }) => copy(one)],
])(
  'ends a snapshot after one deadline if the database does not answer %s, and reads on from another connection',
  async (_, read) => {
    const { database, proxy } = await hangingDatabase();
    const reading = async (before: () => void) => {
      await using snapshot = await openSnapshot(database);
      before();
      return await read(snapshot);
    };
    await reading(() => {});

    await expectEndAfterOneDeadline((begin) =>
      reading(() => {
        proxy.swallow();
        begin();
      }),
    );

    proxy.carry();
    await reading(() => {});
  },
);

test('ends a transaction after one deadline if the database does not answer', async () => {
  const { database, proxy } = await hangingDatabase();
  await expectEndAfterOneDeadline((begin) =>
    database.kysely.transaction().execute(async (trx) => {
      proxy.swallow();
      begin();
      await runStatement(trx, one);
    }),
  );
});
