import { spawn } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import { serverUser } from '@visitor-counter/database/embedded/data-folder';
import { resultOf } from '@visitor-counter/test/result-of';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { onTestFinished } from 'vitest';

/** The folder in which Debian installs the programs of PostgreSQL 15. */
export const postgresBin = '/usr/lib/postgresql/15/bin';

/** A PostgreSQL server from the system's packages, and its programs. */
export interface Postgres {
  readonly folder: string;
  readonly port: number;
  /** The URL for PostgreSQL's own programs: the administrator without a password, on the loopback address. */
  readonly adminUrl: (database: string) => string;
  start(): Promise<void>;
  /** Ends all connections and the server; `immediate` ends it without a shutdown, like a power cut. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
}

/** Runs a program of PostgreSQL as the user that owns the server and returns what it printed; throws when it fails. */
export async function runPostgresProgram(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(join(postgresBin, program), args, {
    ...(await serverUser('')),
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { out, err, code } = await resultOf(child);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed (${code}): ${err}`);
  return out;
}

/** A folder that PostgreSQL can write to, removed after the test. */
export async function postgresFolder(): Promise<string> {
  const folder = await temporaryFolder();
  const user = await serverUser('');
  if (user) await chown(folder, user.uid, user.gid);
  return folder;
}

/** Makes a new cluster in `folder/data`. */
export async function newCluster(folder: string, port: number): Promise<Postgres> {
  const data = join(folder, 'data');
  await runPostgresProgram('initdb', [
    '--pgdata',
    data,
    '--username',
    'postgres',
    '--auth',
    'trust',
    '--no-sync',
  ]);
  return serverOf(folder, port);
}

/** The server of the cluster in `folder/data`. It ends with the test. */
export function serverOf(folder: string, port: number): Postgres {
  const data = join(folder, 'data');
  let isRunning = false;
  const control = (...args: string[]) =>
    runPostgresProgram('pg_ctl', ['--pgdata', data, '--silent', '--wait', ...args]);
  const stop = async (mode: 'fast' | 'immediate') => {
    if (isRunning) await control('stop', '--mode', mode);
    isRunning = false;
  };
  onTestFinished(() => stop('immediate'));
  return {
    folder,
    port,
    adminUrl: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    start: async () => {
      const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=100`;
      await control('start', '--log', join(folder, 'log'), '--options', options);
      isRunning = true;
    },
    stop,
  };
}
