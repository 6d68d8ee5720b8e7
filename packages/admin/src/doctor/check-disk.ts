import { readdir, stat, statfs } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
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

/** Judges the disks of these folders and that of the database, if it answers. */
export async function checkDisks(
  folders: readonly string[],
  database: DatabaseFacts | undefined,
): Promise<Finding[]> {
  const { dataDirectory, serverAddress = null, size = 0 } = database ?? {};
  const isHere = isOfThisMachine(serverAddress);
  /* A path in /proc, such as that of the embedded PostgreSQL, names another folder in each process. */
  const isKnown = isHere && dataDirectory && !dataDirectory.startsWith('/proc/');
  const disks = await readDisks(isKnown ? [...folders, dataDirectory] : folders);
  const findings = disks.map((disk) => judgeDisk(disk, size));
  if (isHere) return findings;
  const finding = `the disk of the database is not checked: its server is at ${serverAddress}`;
  return [...findings, warning('disk', finding, 'Check the free space there.')];
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

/** Whether a server with this address runs here; null is the address of a local socket. */
function isOfThisMachine(address: string | null): boolean {
  if (address === null) return true;
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  return own.some((one) => one.address === address);
}
