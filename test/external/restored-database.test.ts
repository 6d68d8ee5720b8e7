import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@visitor-counter/test/free-ports';
import { test } from 'vitest';
import {
  newCluster,
  type Postgres,
  postgresFolder,
  runPostgresProgram,
  serverOf,
} from './restore/postgres.ts';
import { startCompany } from './restore/running-company.ts';

/** A PostgreSQL server from Debian's packages, with a database whose owner has no other privileges. */
async function ownedDatabase(): Promise<{ server: Postgres; url: string }> {
  const folder = await postgresFolder();
  const server = await newCluster(folder, await freePort());
  await server.start();
  const create = 'create role shop login';
  await runPostgresProgram('psql', ['--quiet', '--dbname', server.adminUrl('postgres'), '--command', create]);
  await runPostgresProgram('createdb', [
    '--maintenance-db',
    server.adminUrl('postgres'),
    '--owner',
    'shop',
    'counter',
  ]);
  return { server, url: `postgres://shop@127.0.0.1:${server.port}/counter` };
}

/** Repeated after a deadlock with the programs, as the documentation advises. */
async function restoreOver(url: string, dump: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await runPostgresProgram('pg_restore', ['--clean', '--if-exists', '--dbname', url, dump]);
      return;
    } catch (error) {
      if (attempt === 5 || !String(error).includes('deadlock detected')) throw error;
    }
  }
}

/** How long people cross between a backup and the next step (ms). */
const later = 4_000;

test('a dump that is restored over the database while everything runs is completed by the units', async () => {
  const { server, url } = await ownedDatabase();
  const company = await startCompany(url);
  const dump = join(server.folder, 'counter.dump');
  await company.stored();
  await runPostgresProgram('pg_dump', ['--format', 'custom', '--file', dump, '--dbname', url]);
  await pause(later);
  await restoreOver(url, dump);
  await company.healed();
});

test('a promoted standby that lacks the last commits is completed by the units', async () => {
  const { server, url } = await ownedDatabase();
  const company = await startCompany(url);
  const folder = await postgresFolder();
  const source = [
    '--dbname',
    `postgres://postgres@127.0.0.1:${server.port}`,
    '--pgdata',
    join(folder, 'data'),
  ];
  await company.stored();
  await runPostgresProgram('pg_basebackup', [
    ...source,
    '--write-recovery-conf',
    '--checkpoint',
    'fast',
    '--no-sync',
  ]);
  const standby = serverOf(folder, await freePort());
  await standby.start();
  await pause(later / 2);
  await standby.stop('fast');
  await pause(later);
  await server.stop('immediate');
  const promoted = serverOf(folder, server.port);
  await promoted.start();
  await runPostgresProgram('pg_ctl', ['promote', '--wait', '--silent', '--pgdata', join(folder, 'data')]);
  await company.healed();
});
