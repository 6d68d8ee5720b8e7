import { existsSync } from 'node:fs';
import { readdir, readFile, readlink, stat, statfs } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { basename, join } from 'node:path';
import type { DatabaseFacts } from '@visitor-counter/database/fleet/database-state';
import { bytesText } from '../command/text.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** A file system that this installation writes to. */
interface Disk {
  /** A folder on it. */
  readonly folder: string;
  /** Bytes. */
  readonly size: number;
  readonly free: number;
}

const postgres = '/var/lib/postgresql';

/** A database that answers. */
export interface ServedDatabase {
  readonly facts: DatabaseFacts;
  /** Its folder on this machine; undefined if that cannot be seen. */
  readonly folder: string | undefined;
}

/** Judges the disks of these folders and that of the database, if it answers. */
export async function checkDisks(
  folders: readonly string[],
  database: ServedDatabase | undefined,
): Promise<Finding[]> {
  const folder = database?.folder;
  const disks = await readDisks(folder === undefined ? folders : [...folders, folder]);
  const findings = disks.map((disk) => judgeDisk(disk, database?.facts.size ?? 0));
  return database && folder === undefined ? [...findings, unchecked(database.facts)] : findings;
}

function unchecked({ serverAddress, user }: DatabaseFacts): Finding {
  const find = 'As the superuser of PostgreSQL, `show data_directory` prints the folder';
  if (!isOfThisMachine(serverAddress)) {
    const finding = `the disk of the database is not checked: its server is at ${serverAddress}`;
    return warning('disk', finding, `Check the free space there. ${find}.`);
  }
  const finding = 'the disk of the database is not checked: this user cannot see its folder';
  const grant = `grant pg_read_all_settings to ${user}`;
  return warning('disk', finding, `${find}, and \`${grant}\` lets the doctor see it.`);
}

/**
 * The file systems of these folders and of the databases of Debian's PostgreSQL, each once. Such a database may have its own
 * disk, even if PostgreSQL does not run. Folders that do not exist are left out.
 */
async function readDisks(known: readonly string[]): Promise<Disk[]> {
  const versions = await foldersIn(postgres);
  const clusters = await Promise.all(versions.map(foldersIn));
  const folders = [...clusters.flat(), postgres, ...known];
  const disks = new Map<number, Disk>();
  for (const folder of folders) {
    try {
      const { dev } = await stat(folder);
      const { bsize, blocks, bavail } = await statfs(folder);
      disks.set(dev, { folder, size: bsize * blocks, free: bsize * bavail });
    } catch {
      /* A folder that is not there has no disk. */
    }
  }
  return [...disks.values()];
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

const gigabyte = 1e9;

/** Judges a disk for a database of `databaseSize` bytes: a restore needs its size again. */
export function judgeDisk({ folder, size, free }: Disk, databaseSize: number): Finding {
  const finding = `${folder} has ${bytesText(free)} free of ${bytesText(size)}`;
  const advice =
    'Make room, or a larger disk: when it is full, nothing is stored, and units keep their crossings.';
  if (free < gigabyte || free < size * 0.03) return problem('disk', finding, advice);
  if (free < 5 * gigabyte || free < size * 0.1) return warning('disk', finding, advice);
  if (free < databaseSize) {
    return warning(
      'disk',
      `${finding}, less than the ${bytesText(databaseSize)} of the database`,
      'A restore needs as much as the database.',
    );
  }
  return ok('disk', finding);
}

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
  /* A path in /proc, such as that of the embedded PostgreSQL, names another folder in each process. */
  return folders.find((folder) => folder && !folder.startsWith('/proc/') && existsSync(folder));
}

/** Whether a server with this address runs here; null is the address of a local socket. */
function isOfThisMachine(address: string | null): boolean {
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
