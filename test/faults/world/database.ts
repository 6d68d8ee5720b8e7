import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type EmbeddedServer, startEmbeddedServer } from '@visitor-counter/database/embedded/server';
import { createDatabase } from '@visitor-counter/database/sql/create-database';
import { codeOf } from '@visitor-counter/service/errors';
import { runAdmin } from '@visitor-counter/test/admin';
import { copyCluster, recoverWithTimeline } from '@visitor-counter/test/copy-cluster';
import { freePort } from '@visitor-counter/test/free-ports';
import { type Release, thisRelease } from '@visitor-counter/test/release';

const name = 'visitor_counter';

/** A real PostgreSQL that can be killed and restored, and restarts on the same port. */
export interface DatabaseUnderAttack {
  readonly url: string;
  /** kill -9 of the postmaster, as in a power cut of the server; it is restarted immediately. */
  kill(): Promise<void>;
  /** kill -9 of a process that serves a connection: the server ends all others and recovers. */
  killBackend(random: () => number): Promise<void>;
  /** Takes a base backup while everything runs; repeats it if the server is killed meanwhile. */
  backUp(): Promise<void>;
  /**
   * Replaces the server's data by the backup, as after the loss of its disk: by point-in-time recovery, which begins
   * another timeline, or like a snapshot of the volume, which leaves no trace.
   */
  restore(how: 'recovery' | 'snapshot'): Promise<void>;
  /** How many of its processes were killed. */
  readonly kills: number;
  stop(): Promise<void>;
}

/** A point-in-time recovery ends at the end of the write-ahead log. */
const settings = { restore_command: 'false' };

export async function startDatabase(
  folder: string,
  release: Release = thisRelease,
): Promise<DatabaseUnderAttack> {
  const server = await startEmbeddedServer({ folder, port: await freePort(), settings });
  await createDatabase(server.url('postgres'), name);
  const url = server.url(name);
  await migrateTo(release, url);
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

/** Brings the tables to a release. */
export async function migrateTo(release: Release, url: string): Promise<void> {
  await runAdmin(['database', 'migrate'], { DATABASE_URL: url }, '', release);
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
    return this.#inTurn(async () => {
      process.kill(await this.#pid(), 'SIGKILL');
      this.kills += 1;
      await this.#server.ended;
      await this.#startAgain();
    });
  }

  async killBackend(random: () => number): Promise<void> {
    await this.#turn;
    const postmaster = await this.#pid();
    const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
    // Number('') is 0, and process 0 means all processes of this process group.
    const pids = children
      .split(' ')
      .map(Number)
      .filter((child) => child > 1);
    const victim = pids[Math.floor(random() * pids.length)];
    // For a moment after a crash the server has no other processes.
    if (victim === undefined) return this.kill();
    if (!killed(victim)) return this.killBackend(random);
    this.kills += 1;
  }

  async backUp(): Promise<void> {
    const copy = join(this.#folder, 'backup');
    for (let attempt = 1; ; attempt += 1) {
      await this.#turn;
      try {
        return await copyCluster(this.url, join(this.#folder, 'data'), copy);
      } catch (error) {
        if (attempt === 20) throw error;
        await rm(copy, { recursive: true, force: true });
        await delay(200);
      }
    }
  }

  restore(how: 'recovery' | 'snapshot'): Promise<void> {
    return this.#inTurn(async () => {
      const data = join(this.#folder, 'data');
      process.kill(await this.#pid(), 'SIGKILL');
      await this.#server.ended;
      await rename(data, join(this.#folder, 'lost'));
      await rename(join(this.#folder, 'backup'), data);
      if (how === 'recovery') await recoverWithTimeline(data);
      await this.#startAgain();
      await rm(join(this.#folder, 'lost'), { recursive: true });
    });
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

  async #pid(): Promise<number> {
    return Number.parseInt(await readFile(join(this.#folder, 'data', 'postmaster.pid'), 'utf8'), 10);
  }

  /** Processes that outlive their postmaster lock the folder for a moment. */
  async #startAgain(): Promise<void> {
    const { port } = this.#server;
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.#server = await startEmbeddedServer({ folder: this.#folder, port, settings });
        return;
      } catch (error) {
        if (attempt === 300) throw error;
        await delay(100);
      }
    }
  }
}
