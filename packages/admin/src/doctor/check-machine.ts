import { readdir, stat, statfs } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { DatabaseFacts } from '@visitor-counter/database/fleet/database-state';
import { isClockSynchronised } from '@visitor-counter/service/clock-synchronised';
import { ageText, bytesText } from '../command/text.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import type { Installation } from './installation.ts';

/** Where Debian's PostgreSQL has the databases of each version, which may be disks of their own. */
const postgres = '/var/lib/postgresql';

/** Judges the disks of these folders and that of the database, if it answers. Folders that do not exist are left out. */
export async function checkDisks(
  known: readonly string[],
  database: DatabaseFacts | undefined,
): Promise<Finding[]> {
  const { dataDirectory, serverAddress = null, size: databaseSize = 0 } = database ?? {};
  const versions = await readdir(postgres).catch(() => []);
  const folders = [...versions.map((version) => join(postgres, version)), postgres, ...known];
  const isHere = isOfThisMachine(serverAddress);
  /* A path in /proc, such as that of the embedded PostgreSQL, names another folder in each process. */
  if (isHere && dataDirectory && !dataDirectory.startsWith('/proc/')) folders.push(dataDirectory);
  const disks = new Map<number, Finding>();
  for (const folder of folders) {
    const found = await Promise.all([stat(folder), statfs(folder)]).catch(() => undefined);
    if (found === undefined) continue;
    const [{ dev }, { bsize, blocks, bavail }] = found;
    disks.set(dev, judgeDisk({ folder, size: bsize * blocks, free: bsize * bavail }, databaseSize));
  }
  const finding = `the disk of the database is not checked: its server is at ${serverAddress}`;
  return isHere
    ? [...disks.values()]
    : [...disks.values(), warning('disk', finding, 'Check its free space.')];
}

const gigabyte = 1e9;

/** A file system that this installation writes to. */
interface Disk {
  /** A folder on it. */
  readonly folder: string;
  /** Bytes. */
  readonly size: number;
  readonly free: number;
}

/** Judges a disk for a database of `databaseSize` bytes: a restore needs its size again. */
function judgeDisk({ folder, size, free }: Disk, databaseSize: number): Finding {
  const finding = `${folder} has ${bytesText(free)} free of ${bytesText(size)}`;
  const advice = 'Make room: when the disk is full, nothing is stored, and units keep their crossings.';
  if (free < gigabyte || free < size * 0.03) return problem('disk', finding, advice);
  if (free < 5 * gigabyte || free < size * 0.1) return warning('disk', finding, advice);
  if (free >= databaseSize) return ok('disk', finding);
  return warning('disk', `${finding}, less than the database`, 'Make room: a restore needs as much again.');
}

/** Whether a server with this address runs here; null is the address of a local socket. */
function isOfThisMachine(address: string | null): boolean {
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  return address === null || own.some((one) => one.address === address);
}

/** How far two clocks may differ (ms), with the time that it takes to read one. */
const tolerance = 2_000;

/** The same for the clock of a unit, whose message takes longer (ms). */
const unitTolerance = 30_000;

/** How far other clocks are ahead of the one of this machine (ms); undefined if that is not known. */
export interface OtherClocks {
  readonly database?: number;
  /** The median of those of units that are synchronised. */
  readonly units?: number;
}

export async function checkClock({ database = 0, units = 0 }: OtherClocks): Promise<Finding> {
  const advice = 'Run: sudo apt install systemd-timesyncd && sudo timedatectl set-ntp true';
  if (Math.abs(database) > tolerance)
    return problem('clock', `the clock of the database is ${distance(database)} this one`, advice);
  if (Math.abs(units) > unitTolerance)
    return problem('clock', `the synchronised clocks of units are ${distance(units)} this one`, advice);
  const isSynchronised = await isClockSynchronised();
  if (isSynchronised) return ok('clock', 'set by NTP');
  if (isSynchronised === undefined)
    return warning(
      'clock',
      'it is unknown whether a time service sets it',
      'Check the NTP service of the host.',
    );
  return problem('clock', 'no time service sets it: crossings of units may be refused', advice);
}

/** Such as `86400 s ahead of`. */
function distance(ahead: number): string {
  return `${(Math.abs(ahead) / 1_000).toFixed(0)} s ${ahead > 0 ? 'ahead of' : 'behind'}`;
}

const hour = 60 * 60_000;

/** The folder of the backups, and the time of the latest one in the database (epoch ms), as far as they are known. */
interface KnownBackups {
  readonly folder: string | undefined;
  readonly recordedAt: number | undefined;
}

/**
 * Judges the backups in a folder at `now` (epoch ms), or, where the folder is unknown, the latest one that the database
 * records. Backups are daily; a day can have 25 hours, and a backup of a large database takes some.
 */
export async function checkBackups(
  { folder, recordedAt }: KnownBackups,
  now: number,
  { backup }: Installation,
): Promise<Finding> {
  const advice = `Make one: ${backup}`;
  const latest = folder === undefined ? recordedAt : await findLatest(folder).catch((error: Error) => error);
  if (latest instanceof Error)
    return warning('backups', `${folder} cannot be read: ${latest.message}`, advice);
  if (latest === undefined)
    return warning('backups', folder ? `there is none in ${folder}` : 'it is unknown where they are', advice);
  const age = now - latest;
  const finding = `the latest${folder ? ` in ${folder}` : ''} is ${ageText(age)} old`;
  if (age < 30 * hour) return ok('backups', finding);
  return (age < 7 * 24 * hour ? warning : problem)('backups', finding, advice);
}

/** When the latest backup in a folder was complete (epoch ms); undefined if there is none. */
async function findLatest(folder: string): Promise<number | undefined> {
  const names = (await readdir(folder)).filter(
    (name) => !/^\.|\.(part|partial|tmp|unfinished|sha256)$/.test(name),
  );
  const files = await Promise.all(names.map((name) => stat(join(folder, name))));
  const complete = files.filter((file) => file.isFile() && file.size > 0);
  return complete.length > 0 ? Math.max(...complete.map(({ mtimeMs }) => mtimeMs)) : undefined;
}
