import { presentHistory } from '@visitor-counter/database/crossings/history';
import { isReplicaFailure, openReplicaSnapshot } from '@visitor-counter/database/replica/replica-snapshot';
import { connect, type Database } from '@visitor-counter/database/sql/connect';
import { runStatement } from '@visitor-counter/database/sql/run-statement';
import { ReplicatedServer } from '@visitor-counter/test/replicated-server';
import { startedOnce } from '@visitor-counter/test/started-once';
import { startDatabaseProxy, throughProxy } from '@visitor-counter/test/tcp-proxy';
import type { Kysely } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';

const servers = startedOnce(async (atEnd) => {
  const server = await ReplicatedServer.start();
  atEnd(() => server.stop());
  return { server, shared: await server.standby() };
});

function opened(url: string, readOnly = false): Database {
  const database = connect(url, { applicationName: 'test', readOnly });
  onTestFinished(() => database.close());
  return database;
}

/** A database, a standby of it, and companies to write and to read. */
async function replicated({ standby = servers().shared } = {}) {
  const { server } = servers();
  const url = await server.database();
  const primary = opened(url);
  const add = async (name: string) =>
    void (await primary.pool.query('insert into company (name, name_key) values ($1, $1)', [name]));
  return { server, url, standby, primary, add, ...reading(primary, standby.urlOf(url)) };
}

function reading(primary: Database, replicaUrl: string, maxLag = 5_000) {
  const replica = opened(replicaUrl, true);
  const open = () => openReplicaSnapshot({ primary, replica, maxLag });
  return {
    replica,
    open,
    /** The companies in a snapshot of the replica. */
    read: async () => {
      await using snapshot = await open();
      return await namesIn(snapshot.db);
    },
  };
}

async function namesIn(db: Kysely<unknown>): Promise<string[]> {
  const rows = await runStatement<{ name: string }>(db, 'names', 'select name from company order by id', []);
  return rows.map(({ name }) => name);
}

const refused = (fault: string) => expect.objectContaining({ name: 'ReplicaRefused', fault });

test('a snapshot of a replica contains everything that was committed before, every time', async () => {
  const { add, read } = await replicated();
  const names: string[] = [];
  for (let number = 1; number <= 100; number += 1) {
    names.push(`company ${number}`);
    await add(`company ${number}`);
    expect(await read()).toEqual(names);
  }
});

test('a snapshot waits for a replica that lags, and not longer than allowed', async () => {
  const { standby, add, read, primary, replica } = await replicated();
  await standby.pauseReplay();
  await add('late');
  await expect(openReplicaSnapshot({ primary, replica, maxLag: 200 })).rejects.toEqual(refused('behind'));
  const waiting = read();
  await standby.resumeReplay();
  expect(await waiting).toEqual(['late']);
});

test('a snapshot shows that a transaction has ended without a commit', async () => {
  const { add, primary, open } = await replicated();
  const client = await primary.pool.connect();
  await client.query('begin; select pg_current_xact_id()');
  await add('during');
  await client.query('rollback');
  client.release();
  const { end } = await presentHistory(primary.kysely);
  await using snapshot = await open();
  expect((await presentHistory(snapshot.db)).end).toBeGreaterThanOrEqual(end);
  expect(await namesIn(snapshot.db)).toEqual(['during']);
});

test('a replica that shows a commit for which the primary still waits is not used', async () => {
  const { server, add, read, primary, replica } = await replicated();
  await add('first');
  expect(await read()).toEqual(['first']);
  await server.query(
    `alter system set synchronous_standby_names = 'nobody'`,
    'select pg_reload_conf()',
    'select pg_sleep(0.1)',
  );
  const committing = add('second');
  await expect.poll(() => namesIn(replica.kysely)).toEqual(['first', 'second']);
  expect(await namesIn(primary.kysely)).toEqual(['first']);

  await expect(openReplicaSnapshot({ primary, replica, maxLag: 200 })).rejects.toEqual(refused('ahead'));

  await server.query('alter system reset synchronous_standby_names', 'select pg_reload_conf()');
  await committing;
  expect(await read()).toEqual(['first', 'second']);
});

test('the primary itself, and another database of the standby, are not used', async () => {
  const { server, standby, url, primary } = await replicated();
  const other = standby.urlOf(await server.database());
  await expect(reading(primary, url, 200).open()).rejects.toEqual(refused('not_a_standby'));
  const open = () => reading(primary, other, 1_000).open();
  await expect.poll(() => open().catch((error) => error)).toEqual(refused('another_database'));
  const empty = reading(primary, standby.urlOf(server.adminUrl), 1_000);
  await expect(empty.open()).rejects.toEqual(refused('another_database'));
});

test('a server that stops answering is noticed', async () => {
  const { url, standby, primary, add } = await replicated();
  const proxy = await startDatabaseProxy(standby.urlOf(url));
  const { read, open } = reading(primary, throughProxy(standby.urlOf(url), proxy), 500);
  await add('first');
  expect(await read()).toEqual(['first']);
  proxy.swallow();
  await expect(open()).rejects.toEqual(refused('unreachable'));
});

test('a read that conflicts with what the replica must replay is a failure of the replica', async () => {
  await servers().shared.set('max_standby_streaming_delay', '0');
  const { primary, add, open } = await replicated();
  await add('first');
  await using snapshot = await open();
  await primary.pool.query('delete from company');
  await primary.pool.query('vacuum company');
  const failure = async () => {
    try {
      await namesIn(snapshot.db);
      return undefined;
    } catch (error) {
      return error;
    }
  };
  await expect.poll(async () => isReplicaFailure(await failure())).toBe(true);
});

test('a standby that was promoted, and one that was killed, are not used', async () => {
  const standby = await servers().server.standby();
  const { add, read, open } = await replicated({ standby });
  await add('first');
  expect(await read()).toEqual(['first']);
  await standby.promote();
  await expect(open()).rejects.toEqual(refused('not_a_standby'));
  await standby.kill();
  await expect(open()).rejects.toEqual(refused('unreachable'));
});

test('a standby that has what a restored primary has lost is not used, and a new one is', async () => {
  const { server, url, standby, primary, add, read } = await replicated();
  await add('kept');
  expect(await read()).toEqual(['kept']);
  const restore = await server.backUp();
  await add('lost');
  /* Further in its log than the restored primary will be. */
  await primary.pool.query('select pg_switch_wal()');
  await add('lost, too');
  expect(await read()).toEqual(['kept', 'lost', 'lost, too']);

  await restore();

  const { open } = reading(primary, standby.urlOf(url), 1_000);
  await expect.poll(() => open().catch((error) => error)).toEqual(refused('another_database'));
  await add('new');
  await expect(open()).rejects.toEqual(refused('another_database'));
  const another = await server.standby();
  expect(await reading(primary, another.urlOf(url)).read()).toEqual(['kept', 'new']);
});
