import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type EmbeddedServer, startEmbeddedServer } from '@visitor-counter/database/embedded/server';
import { migrate } from '@visitor-counter/database/migrations/migrate';
import { createDatabase, databaseExists, withClient } from '@visitor-counter/database/sql/open-client';
import { fastestFolder, templateDatabase } from './database-server.ts';

/** The data need not survive the machine; otherwise commits are as durable as in production. */
const settings = { fsync: 'off', full_page_writes: 'off', max_wal_size: '512MB' };

/** A real PostgreSQL of a test's own, with streaming standbys. */
export class ReplicatedServer {
  readonly #folder: string;
  readonly #standbys: Awaited<ReturnType<typeof startStandby>>[] = [];
  #primary: EmbeddedServer;

  /** The caller stops it, with its standbys. */
  static async start(): Promise<ReplicatedServer> {
    const folder = await mkdtemp(join(await fastestFolder(), 'visitor-counter-replicated-'));
    const primary = await startEmbeddedServer({ folder: join(folder, 'primary'), settings });
    await createDatabase(primary.url('postgres'), templateDatabase);
    await migrate(primary.url(templateDatabase));
    return new ReplicatedServer(folder, primary);
  }

  private constructor(folder: string, primary: EmbeddedServer) {
    this.#folder = folder;
    this.#primary = primary;
  }

  /** The URL of a new, migrated database that the standbys already have. */
  async database(): Promise<string> {
    const name = `test_${randomBytes(6).toString('hex')}`;
    await createDatabase(this.#primary.url('postgres'), name, `template ${templateDatabase}`);
    for (const standby of this.#standbys) await standby.untilReplayed(name);
    return this.#primary.url(name);
  }

  /** A new standby. It begins as a copy of the primary, which is stopped meanwhile: nobody may be connected to it. */
  async standby() {
    const folder = await mkdtemp(join(this.#folder, 'standby-'));
    const primary = join(this.#folder, 'primary');
    const { port } = this.#primary;
    await this.#primary.stop();
    await copy(`${primary}/.`, folder);
    this.#primary = await startEmbeddedServer({ folder: primary, settings, port });
    /* Only the name of this file matters; a copy belongs to the right user. */
    await copy(join(folder, 'data/PG_VERSION'), join(folder, 'data/standby.signal'));
    const standby = await startStandby(folder, this.#primary.url('postgres'));
    this.#standbys.push(standby);
    return standby;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#primary, ...this.#standbys].map((one) => one.stop()));
    await rm(this.#folder, { recursive: true });
  }
}

async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['--archive', from, to]);
}

async function startStandby(folder: string, primaryUrl: string) {
  const { hostname, port, username, password } = new URL(primaryUrl);
  const server = await startEmbeddedServer({
    folder,
    settings: {
      ...settings,
      wal_retrieve_retry_interval: '100ms',
      primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
    },
  });
  let isKilled = false;
  /** Runs a statement in the database `postgres` as superuser. */
  const query = (sql: string) =>
    withClient(server.url('postgres'), async (client) => (await client.query(sql)).rowCount);
  return {
    /** The same database on the standby. */
    urlOf: (url: string) => server.url(new URL(url).pathname.slice(1)),
    pauseReplay: () => query('select pg_wal_replay_pause()'),
    resumeReplay: () => query('select pg_wal_replay_resume()'),
    promote: () => query('select pg_promote(true)'),
    /** kill -9 of the postmaster. */
    kill: async () => {
      const pid = await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8');
      isKilled = true;
      process.kill(Number.parseInt(pid, 10), 'SIGKILL');
      await server.ended;
      await server.stop();
    },
    stop: async () => {
      if (!isKilled) await server.stop();
    },
    /** Waits until it has a database. A standby that was killed or promoted never gets it. */
    untilReplayed: async (name: string) => {
      const isStandby = async () => !isKilled && (await query('select where pg_is_in_recovery()')) === 1;
      while ((await isStandby()) && !(await databaseExists(server.url('postgres'), name))) await delay(10);
    },
  };
}
