import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type EmbeddedServer, startEmbeddedServer } from '@visitor-counter/database/embedded/server';
import { migrate } from '@visitor-counter/database/migrations/migrate';
import { createDatabase, databaseExists, withClient } from '@visitor-counter/database/sql/open-client';
import { copyCluster, standBy } from './copy-cluster.ts';
import { fastestFolder, templateDatabase } from './database-server.ts';

/** The data need not survive the machine; otherwise commits are as durable as in production. */
const settings = { fsync: 'off', full_page_writes: 'off', max_wal_size: '512MB' };

/** A real streaming standby. */
export interface Standby {
  /** The same database on the standby. */
  urlOf(primaryUrl: string): string;
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  promote(): Promise<void>;
  /** kill -9 of the postmaster. */
  kill(): Promise<void>;
}

/** A real PostgreSQL of a test's own, with streaming standbys. */
export class ReplicatedServer {
  readonly #folder: string;
  readonly #standbys: RunningStandby[] = [];
  readonly #primary: EmbeddedServer;

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

  get #adminUrl(): string {
    return this.#primary.url('postgres');
  }

  /** The URL of a new, migrated database that the standbys already have. */
  async database(): Promise<string> {
    const name = `test_${randomBytes(6).toString('hex')}`;
    await createDatabase(this.#adminUrl, name, `template ${templateDatabase}`);
    for (const standby of this.#standbys) await standby.untilReplayed(name);
    return this.#primary.url(name);
  }

  /** A new standby. */
  async standby(): Promise<Standby> {
    const folder = await mkdtemp(join(this.#folder, 'standby-'));
    await this.#copyTo(folder);
    await standBy(join(folder, 'data'));
    const { hostname, port, username, password } = new URL(this.#adminUrl);
    const standby = new RunningStandby(folder, {
      ...settings,
      wal_retrieve_retry_interval: '100ms',
      primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
    });
    this.#standbys.push(standby);
    await standby.start();
    return standby;
  }

  async stop(): Promise<void> {
    await Promise.all([this.#primary, ...this.#standbys].map((one) => one.stop()));
    await rm(this.#folder, { recursive: true });
  }

  async #copyTo(folder: string): Promise<void> {
    const primary = join(this.#folder, 'primary');
    await mkdir(folder, { recursive: true });
    await copyFile(join(primary, 'password'), join(folder, 'password'));
    await copyCluster(this.#adminUrl, join(primary, 'data'), join(folder, 'data'));
  }
}

class RunningStandby implements Standby {
  readonly #folder: string;
  readonly #settings: Readonly<Record<string, string>>;
  #server: EmbeddedServer | undefined;
  #port: number | undefined;

  constructor(folder: string, ofServer: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#settings = ofServer;
  }

  /** Processes that outlive a killed postmaster lock the folder for a moment. */
  async start(): Promise<void> {
    const port = this.#port === undefined ? {} : { port: this.#port };
    const options = { folder: this.#folder, settings: this.#settings, ...port };
    for (let attempt = 1; this.#server === undefined; attempt += 1) {
      try {
        this.#server = await startEmbeddedServer(options);
      } catch (error) {
        if (attempt === 100) throw error;
        await delay(100);
      }
    }
    this.#port = this.#server.port;
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
  }

  /** Waits until it has a database. A standby that was killed or promoted never gets it. */
  async untilReplayed(name: string): Promise<void> {
    const isStandby = async () => (await this.#query('select where pg_is_in_recovery()')).length === 1;
    while (this.#server && (await isStandby()) && !(await databaseExists(this.#server.url('postgres'), name)))
      await delay(10);
  }

  urlOf(primaryUrl: string): string {
    return this.#running.url(new URL(primaryUrl).pathname.slice(1));
  }

  /** Runs a statement in the database `postgres` as superuser. */
  #query(sql: string): Promise<Record<string, unknown>[]> {
    return withClient(this.#running.url('postgres'), async (client) => (await client.query(sql)).rows);
  }

  async pauseReplay(): Promise<void> {
    await this.#query('select pg_wal_replay_pause()');
  }

  async resumeReplay(): Promise<void> {
    await this.#query('select pg_wal_replay_resume()');
  }

  async promote(): Promise<void> {
    await this.#query('select pg_promote(true)');
  }

  async kill(): Promise<void> {
    const server = this.#running;
    const pid = await readFile(join(this.#folder, 'data', 'postmaster.pid'), 'utf8');
    process.kill(Number.parseInt(pid, 10), 'SIGKILL');
    await server.ended;
    await server.stop();
    this.#server = undefined;
  }

  get #running(): EmbeddedServer {
    if (this.#server === undefined) throw new Error('the standby does not run');
    return this.#server;
  }
}
