import { access, readFile, readlink } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { basename } from 'node:path';
import type { DatabaseFacts } from '@visitor-counter/database/fleet/database-state';

type ServerFacts = Pick<DatabaseFacts, 'serverAddress' | 'processId' | 'dataDirectory'>;

/**
 * The folder of the database, if its server runs on this machine and this user can see it. It is the working folder of the
 * server, which root and the user of the server can read; the setting `data_directory`, which PostgreSQL shows to roles with
 * `pg_read_all_settings`; and the argument `-D` of the server, if it was started with one, as by Debian.
 */
export async function findDatabaseFolder(server: ServerFacts): Promise<string | undefined> {
  if (!isOfThisMachine(server.serverAddress)) return undefined;
  const process = `/proc/${server.processId}`;
  const folders = [
    await readlink(`${process}/cwd`).catch(() => undefined),
    server.dataDirectory ?? undefined,
    await folderInCommandLine(process).catch(() => undefined),
  ];
  for (const folder of folders) {
    if (folder !== undefined && (await isSeen(folder))) return folder;
  }
  return undefined;
}

/** Whether a server with this address runs here; null is the address of a local socket. */
export function isOfThisMachine(address: string | null): boolean {
  if (address === null) return true;
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  return own.some((one) => one.address === address);
}

/** The argument `-D` of the server whose child is `process`; every user can read it. */
async function folderInCommandLine(process: string): Promise<string | undefined> {
  const status = await readFile(`${process}/status`, 'utf8');
  const server = /^PPid:\t(\d+)$/m.exec(status)?.[1];
  const [program = '', ...args] = (await readFile(`/proc/${server}/cmdline`, 'utf8')).split('\0');
  const option = args.indexOf('-D');
  return basename(program) === 'postgres' && option >= 0 ? args[option + 1] : undefined;
}

/** A path in /proc names another folder for each process: the embedded PostgreSQL has one. */
async function isSeen(folder: string): Promise<boolean> {
  if (folder.startsWith('/proc/')) return false;
  return await access(folder).then(
    () => true,
    () => false,
  );
}
