import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '@visitor-counter/service/errors';
import { notReady } from '../sql/unavailable.ts';
import { findBinaries } from './binaries.ts';
import { claimFolder, stopOrphanedServer, writeOnce } from './claim.ts';
import { initialiseCluster, openDataFolder, type SystemUser, serverUser } from './data-folder.ts';
import { connectionProblem } from './find-database.ts';

/** A PostgreSQL server that this process started, listening on the loopback address only. */
export interface EmbeddedServer {
  readonly port: number;
  /** The connection URL of one of its databases, with the password. */
  url(database: string): string;
  /** Resolves when the server has ended, for any reason. */
  readonly ended: Promise<void>;
  /** Stops it cleanly: connections are closed, nothing committed is lost. */
  stop(): Promise<void>;
}

interface EmbeddedServerOptions {
  /** The folder of the cluster, its password and its log; created if it is missing. */
  readonly folder: string;
  /** The port to listen on; a free one when it is left out. */
  readonly port?: number;
  /** Further server settings, such as `{ max_connections: '200' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** How long a server may take until it answers that it starts, or accepts connections (ms). */
const startDeadline = 60_000;

/** How long one connection may take meanwhile: seconds on a machine that other programs keep busy (ms). */
const connectDeadline = 20_000;

/** The most free ports to try if other processes bind them first. */
const portAttempts = 5;

/**
 * Starts PostgreSQL, creates the cluster first if there is none, and stops an orphaned server of an earlier process.
 * Throws FolderTakenError if another process uses the folder.
 */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  await mkdir(options.folder, { recursive: true });
  const release = await claimFolder(options.folder);
  try {
    const server = await startClaimed(options);
    return { ...server, stop: () => server.stop().finally(release) };
  } catch (error) {
    await release();
    throw error;
  }
}

async function startClaimed(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const dataFolder = join(options.folder, 'data');
  const user = await serverUser(dataFolder);
  const bin = await findBinaries(user);
  const password = await keptPassword(options.folder);
  await initialiseCluster({ bin, dataFolder, user, password });
  await stopOrphanedServer(dataFolder, user);
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort());
    const url = (database: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
    const { child, ended } = await spawnServer({ ...options, bin, dataFolder, user, port });
    if (await accepts(url('postgres'), child)) return { port, url, ended, stop: () => stop(child, ended) };
    child.kill('SIGQUIT');
    await ended;
    const lastWords = await endOf(logFile(options.folder));
    const another = options.port === undefined && attempt < portAttempts;
    if (another && lastWords.includes('could not bind')) continue;
    throw new Error(`PostgreSQL did not start; the end of ${logFile(options.folder)}:\n${lastWords}`);
  }
}

/** The password of the server in a folder, made when it is missing. */
async function keptPassword(folder: string): Promise<string> {
  const file = join(folder, 'password');
  await writeOnce(file, randomBytes(24).toString('base64url'));
  return (await readFile(file, 'utf8')).trim();
}

function logFile(folder: string): string {
  return join(folder, 'server.log');
}

async function endOf(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).split('\n').slice(-8).join('\n');
}

interface SpawnOptions extends EmbeddedServerOptions {
  readonly bin: string;
  readonly dataFolder: string;
  readonly user: SystemUser | undefined;
  readonly port: number;
}

interface SpawnedServer {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
}

/** Filling new WAL files with zeros would delay every commit for tens of ms, each time 16 MB have been written. */
const ownSettings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', wal_init_zero: 'off' };

/** The server gets its own process group, so that Ctrl-C in a terminal first reaches the programs that use it. */
async function spawnServer(options: SpawnOptions): Promise<SpawnedServer> {
  const settings = { ...ownSettings, ...options.settings };
  await using log = await open(logFile(options.folder), 'a', 0o600);
  await using data = await openDataFolder(options.dataFolder, options.user);
  const child = spawn(
    join(options.bin, 'postgres'),
    [
      '-D',
      data.path,
      '-p',
      String(options.port),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { ...options.user, cwd: '/', stdio: data.stdio(log.fd), detached: true },
  );
  /* A second Ctrl-C ends this process immediately; this still stops the server. */
  const endWithUs = () => void child.kill('SIGINT');
  process.once('exit', endWithUs);
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      process.off('exit', endWithUs);
      resolve();
    });
  });
  await once(child, 'spawn');
  return { child, ended };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no free TCP port');
  return address.port;
}

/**
 * Waits until the server accepts connections; false when it ends before that, or does not answer for too long. Recovery
 * after a crash may take any time: it begins from the start if it is interrupted.
 */
async function accepts(url: string, child: ChildProcess): Promise<boolean> {
  let deadline = performance.now() + startDeadline;
  while (child.exitCode === null && child.signalCode === null && performance.now() < deadline) {
    const problem = await connectionProblem(url, connectDeadline);
    if (problem === undefined) return true;
    if (codeOf(problem) === notReady) deadline = performance.now() + startDeadline;
    await delay(30);
  }
  return false;
}

/** SIGINT is PostgreSQL's fast shutdown; SIGQUIT ends one that hangs, and it recovers at its next start. */
async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGINT');
  const late = setTimeout(() => child.kill('SIGQUIT'), 10_000);
  await ended;
  clearTimeout(late);
}
