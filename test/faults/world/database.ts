import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { copyEmbedded, restoreEmbedded } from '@visitor-counter/database/backup/backup-files';
import { embeddedName } from '@visitor-counter/database/embedded/find-database';
import { type EmbeddedServer, startEmbeddedServer } from '@visitor-counter/database/embedded/server';
import { createDatabase } from '@visitor-counter/database/sql/open-client';
import { codeOf } from '@visitor-counter/service/errors';
import { runAdmin } from '@visitor-counter/test/admin';
import { freePort } from '@visitor-counter/test/free-ports';

/** A real PostgreSQL that can be killed and restored, and restarts on the same port. */
export interface DatabaseUnderAttack {
  readonly url: string;
  /** kill -9 of the postmaster, as in a power cut of the server; it is restarted immediately. */
  kill(): Promise<void>;
  /** kill -9 of a process that serves a connection: the server ends all others and recovers. */
  killBackend(random: () => number): Promise<void>;
  /** Stops the server, takes a backup of it, and starts it again. */
  backUp(): Promise<void>;
  /** Kills the server, and restores the backup. No service may use it meanwhile. */
  restore(): Promise<void>;
  /** How many of its processes were killed. */
  readonly kills: number;
  stop(): Promise<void>;
}

export async function startDatabase(folder: string): Promise<DatabaseUnderAttack> {
  const server = await startEmbeddedServer({ folder, port: await freePort() });
  await createDatabase(server.url('postgres'), embeddedName);
  const url = server.url(embeddedName);
  await runAdmin(['database', 'migrate'], { DATABASE_URL: url });
  return new SupervisedDatabase(folder, server, url);
}

/** False if the process has ended meanwhile. */
function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    throw error;
  }
}

class SupervisedDatabase implements DatabaseUnderAttack {
  readonly url: string;
  kills = 0;
  readonly #folder: string;
  #server: EmbeddedServer;
  #turn: Promise<void> = Promise.resolve();

  constructor(folder: string, server: EmbeddedServer, url: string) {
    this.#folder = folder;
    this.#server = server;
    this.url = url;
  }

  kill(): Promise<void> {
    return this.#inTurn(() => this.#killServer());
  }

  killBackend(random: () => number): Promise<void> {
    return this.#inTurn(async () => {
      const postmaster = await this.#pid();
      for (;;) {
        const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
        // Number('') is 0, and process 0 means all processes of this process group.
        const pids = children
          .split(' ')
          .map(Number)
          .filter((child) => child > 1);
        const victim = pids[Math.floor(random() * pids.length)];
        // For a moment after a crash the server has no other processes.
        if (victim === undefined) return this.#killServer();
        if (killed(victim)) break;
      }
      this.kills += 1;
    });
  }

  backUp(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#server.stop();
      await copyEmbedded(this.#folder, this.#backup);
      await this.#startAgain();
    });
  }

  restore(): Promise<void> {
    return this.#inTurn(async () => {
      process.kill(await this.#pid(), 'SIGKILL');
      await this.#server.ended;
      await restoreEmbedded(this.#folder, this.#backup, async () => {});
      await this.#startAgain();
    });
  }

  get #backup(): string {
    return `${this.#folder}.tar`;
  }

  async stop(): Promise<void> {
    await this.#turn;
    await this.#server.stop();
  }

  /** Restarts run one after the other, since two at the same time would confuse their servers. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done;
    return done;
  }

  async #killServer(): Promise<void> {
    process.kill(await this.#pid(), 'SIGKILL');
    this.kills += 1;
    await this.#server.ended;
    await this.#startAgain();
  }

  async #pid(): Promise<number> {
    return Number.parseInt(await readFile(join(this.#folder, 'data', 'postmaster.pid'), 'utf8'), 10);
  }

  /** Processes that outlive their postmaster lock the folder for a moment. */
  async #startAgain(): Promise<void> {
    const { port } = this.#server;
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.#server = await startEmbeddedServer({ folder: this.#folder, port });
        return;
      } catch (error) {
        if (attempt === 300) throw error;
        await delay(100);
      }
    }
  }
}
