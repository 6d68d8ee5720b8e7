import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createDatabase } from '@visitor-counter/database/create-database';
import { type EmbeddedServer, startEmbeddedServer } from '@visitor-counter/database/embedded/server';
import { migrate } from '@visitor-counter/database/migrate';

const name = 'visitor_counter';

/** A real PostgreSQL that can be killed, and comes back on the same port. */
export interface DatabaseUnderAttack {
  readonly url: string;
  /** kill -9 of the postmaster, as a power cut of the server; it is started again at once. */
  kill(): Promise<void>;
  /** kill -9 of a process that serves a connection: all others are ended, and the server recovers. */
  killBackend(random: () => number): Promise<void>;
  /** How many of its processes were killed. */
  readonly kills: number;
  stop(): Promise<void>;
}

export async function startDatabase(folder: string): Promise<DatabaseUnderAttack> {
  let server = await startEmbeddedServer({ folder });
  await createDatabase(server.url('postgres'), name);
  const url = server.url(name);
  await migrate(url);
  let restarting: Promise<void> = Promise.resolve();
  const pid = async () => Number.parseInt(await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8'), 10);
  let kills = 0;
  const killAndRestart = async () => {
    process.kill(await pid(), 'SIGKILL');
    kills += 1;
    await server.ended;
    server = await startAgain(folder, server.port);
  };
  const kill = () => {
    restarting = restarting.then(killAndRestart);
    return restarting;
  };
  return {
    url,
    kill,
    killBackend: async (random) => {
      await restarting;
      const postmaster = await pid();
      const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
      // Number('') is 0, and process 0 is everybody in this process's own group.
      const pids = children
        .split(' ')
        .map(Number)
        .filter((child) => child > 1);
      const victim = pids[Math.floor(random() * pids.length)];
      // For a moment after a crash the server has no other processes.
      if (victim === undefined) return kill();
      process.kill(victim, 'SIGKILL');
      kills += 1;
    },
    get kills() {
      return kills;
    },
    stop: async () => {
      await restarting;
      await server.stop();
    },
  };
}

/** Processes that outlive their postmaster keep the folder for a moment. */
async function startAgain(folder: string, port: number): Promise<EmbeddedServer> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    try {
      return await startEmbeddedServer({ folder, port });
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(50);
    }
  }
}
