import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries } from './binaries.ts';
import { openDataFolder } from './data-folder.ts';
import { initialiseCluster } from './initialise.ts';
import { endLeftBehindServer } from './left-behind.ts';
import { type SystemUser, serverUser } from './system-user.ts';

/** A PostgreSQL server that this process started, listening on the loopback address only. */
export interface EmbeddedServer {
  readonly port: number;
  /** The connection URL of one of its databases, with the password. */
  url(database: string): string;
  /** Settles when the server has ended, whoever ended it. */
  readonly ended: Promise<void>;
  /** Ends it cleanly: connections are cut, nothing committed is lost. */
  stop(): Promise<void>;
}

export interface EmbeddedServerOptions {
  /** Keeps the cluster, its password and its log; made when it is missing, kept across runs. */
  readonly folder: string;
  /** The port to listen on; a free one when it is left out. */
  readonly port?: number;
  /** Further server settings, such as `{ max_connections: '200' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** How long a server may take to accept connections (ms); recovery after a crash included. */
const startDeadline = 60_000;

/** Starts PostgreSQL, making the cluster first where there is none. */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const { folder } = options;
  await mkdir(folder, { recursive: true });
  const user = await serverUser();
  const bin = await findBinaries(user);
  const password = await keptPassword(join(folder, 'password'));
  const dataFolder = join(folder, 'data');
  await initialiseCluster({ bin, dataFolder, user, password });
  await endLeftBehindServer(dataFolder);
  const port = options.port ?? (await freePort());
  const child = await spawnServer({ ...options, bin, dataFolder, user, port });
  const ended = once(child, 'close').then(() => {});
  const url = (database: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${database}`;
  await accepting(url('postgres'), child, join(folder, 'server.log'));
  return { port, url, ended, stop: () => stop(child, ended) };
}

async function keptPassword(file: string): Promise<string> {
  await writeFile(file, randomBytes(24).toString('base64url'), { flag: 'wx', mode: 0o600 }).catch(() => {});
  return (await readFile(file, 'utf8')).trim();
}

interface SpawnOptions extends EmbeddedServerOptions {
  readonly bin: string;
  readonly dataFolder: string;
  readonly user: SystemUser | undefined;
  readonly port: number;
}

/** The server gets a process group of its own: Ctrl-C in a terminal is for those who use it, first. */
async function spawnServer(options: SpawnOptions): Promise<ChildProcess> {
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...options.settings };
  const log = await open(join(options.folder, 'server.log'), 'a');
  const data = await openDataFolder(options.dataFolder, options.user);
  const child = spawn(
    join(options.bin, 'postgres'),
    [
      ...['-D', data.path, '-p', String(options.port)],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { ...options.user, cwd: '/', stdio: data.stdio(log.fd), detached: true },
  );
  await once(child, 'spawn');
  await Promise.all([log.close(), data.close()]);
  return child;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no free TCP port');
  return address.port;
}

async function accepting(url: string, child: ChildProcess, log: string): Promise<void> {
  const deadline = Date.now() + startDeadline;
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
    if (await answers(url)) return;
    await delay(30);
  }
  child.kill('SIGQUIT');
  const lastWords = (await readFile(log, 'utf8')).split('\n').slice(-8).join('\n');
  throw new Error(`PostgreSQL did not start; the end of ${log}:\n${lastWords}`);
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** SIGINT is PostgreSQL's fast shutdown; SIGQUIT ends one that hangs, and it recovers at its next start. */
async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGINT');
  const late = setTimeout(() => child.kill('SIGQUIT'), 10_000);
  await ended;
  clearTimeout(late);
}
