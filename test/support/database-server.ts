import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '@visitor-counter/database/embedded/server';
import { migrate } from '@visitor-counter/database/migrations/migrate';
import { createDatabase, withClient } from '@visitor-counter/database/sql/open-client';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The connection URL of the test run's PostgreSQL server. */
    databaseServer: string;
  }
}

/** The migrated database that every test database is a clone of. */
export const templateDatabase = 'template_migrated';

/**
 * The data need not survive the run, so nothing is synced to the disk. Commits are visible and ordered as
 * usual.
 *
 * Without standbys `lock table` begins no numbered transaction. Readers of new crossings wait for older transactions of the
 * whole server, so a test that holds a lock would delay all others.
 */
const settings = {
  max_connections: '300',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_wal_size: '512MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
};

/** One real PostgreSQL server for a test run, deleted at its end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(await fastestFolder(), 'visitor-counter-test-'));
  const server = await startEmbeddedServer({ folder, settings });
  const serverUrl = server.url('postgres');
  /* Otherwise each of some 20,000 connections hashes the password 4,096 times. */
  await withClient(serverUrl, async (client) => {
    await client.query('set scram_iterations = 1');
    await client.query(`alter role postgres password '${new URL(serverUrl).password}'`);
  });
  await createDatabase(serverUrl, templateDatabase);
  await migrate(server.url(templateDatabase));
  project.provide('databaseServer', serverUrl);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  };
}

/**
 * Linux's memory file system where it has enough room: a test database is a copy of 300 files, which is
 * slower on a disk.
 */
export async function fastestFolder(): Promise<string> {
  const memory = '/dev/shm';
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize > 4 * 1024 ** 3 ? memory : tmpdir();
}
