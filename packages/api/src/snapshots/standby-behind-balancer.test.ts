import { startSoleWorker } from '@visitor-counter/database/sql/advisory-locks';
import { connect } from '@visitor-counter/database/sql/connect';
import { runStatement } from '@visitor-counter/database/sql/query-builder';
import type { DB } from '@visitor-counter/database/sql/schema';
import { ReplicatedServer } from '@visitor-counter/test/replicated-server';
import { startedOnce } from '@visitor-counter/test/started-once';
import { startDatabaseProxy, throughProxy } from '@visitor-counter/test/tcp-proxy';
import { testDatabase } from '@visitor-counter/test/test-database';
import { type Kysely, sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { answerTo } from '../../test/api-under-test.ts';
import { oneStore } from '../../test/one-store.ts';

const servers = startedOnce(async (atEnd) => {
  const server = await ReplicatedServer.start();
  atEnd(() => server.stop());
  return { server, standby: await server.standby() };
});

/** A database behind a balancer, which leads to the primary at first. */
async function balanced() {
  const { server, standby } = servers();
  const databaseUrl = await server.database();
  const proxy = await startDatabaseProxy(databaseUrl);
  return {
    url: throughProxy(databaseUrl, proxy),
    leadToStandby: () => {
      proxy.leadTo(Number(new URL(standby.urlOf(databaseUrl)).port));
      proxy.cut();
    },
    /* Without ending the connections to the standby. */
    leadToPrimary: () => proxy.leadTo(Number(new URL(databaseUrl).port)),
  };
}

async function correctingStore(databaseUrl: string) {
  const api = await oneStore({ databaseUrl });
  const { companyId } = api;
  await api.seed.credential({ companyId, kind: 'staff', value: 'staff-token', label: 'till' });
  const correct = async () =>
    await answerTo(`http://127.0.0.1:${api.port}/v1/corrections`, {
      method: 'POST',
      body: JSON.stringify({ store: 'S-1', people: 1, by: 'Kim' }),
      headers: { authorization: 'Bearer staff-token', 'content-type': 'application/json' },
    });
  const isReady = async () => (await fetch(`http://127.0.0.1:${api.port}/ready`)).status;
  const manyAtOnce = async () => {
    const answers = await Promise.all(Array.from({ length: 24 }, correct));
    return answers.map(({ status }) => status);
  };
  return { isReady, manyAtOnce };
}

test('writes again as soon as a balancer that led to a standby leads to the primary', async () => {
  const { url, leadToStandby, leadToPrimary } = await balanced();
  const { isReady, manyAtOnce } = await correctingStore(url);
  await expect.poll(isReady).toBe(200);

  leadToStandby();
  await expect.poll(isReady).toBe(503);
  expect(await manyAtOnce()).toEqual(Array(24).fill(503));
  leadToPrimary();
  expect(await manyAtOnce()).toEqual(Array(24).fill(201));
  expect(await isReady()).toBe(200);
});

test('does its work on the primary after it was connected to a standby', async () => {
  const { url, leadToStandby, leadToPrimary } = await balanced();
  leadToStandby();
  const begun: string[] = [];
  const problems: unknown[] = [];
  const worker = startSoleWorker(
    { url, applicationName: 'test', onProblem: (error) => problems.push(error) },
    {
      lock: 1,
      settings: 'set jit = off',
      standby: 50,
      work: async (db, signal) => {
        const [row] = await runStatement<{ is: boolean }>(db, 'select pg_is_in_recovery() as is');
        begun.push(row?.is ? 'standby' : 'primary');
        while (!signal.aborted) await runStatement(db, 'select pg_sleep(0.01)');
      },
    },
  );
  onTestFinished(() => worker.close());
  await expect.poll(() => problems.length).toBeGreaterThan(0);
  expect(problems[0]).toMatchObject({ code: '25006' });
  leadToPrimary();
  await expect.poll(() => begun).toEqual(['primary']);
});

const write = sql`create table written ()`;

test.each([
  ['a statement', (db: Kysely<DB>) => write.execute(db)],
  ['a transaction', (db: Kysely<DB>) => db.transaction().execute((trx) => write.execute(trx))],
])('replaces a connection on which nothing may be written any more, after %s', async (_, run) => {
  const { kysely, close } = connect(await testDatabase(), { applicationName: 'test', maxConnections: 1 });
  onTestFinished(close);
  /* As for a session whose server was demoted without ending it, which managed services do. */
  await sql`set default_transaction_read_only = on`.execute(kysely);
  await expect(run(kysely)).rejects.toMatchObject({ code: '25006' });
  await run(kysely);
});
