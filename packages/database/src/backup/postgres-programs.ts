import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Refused } from '@visitor-counter/service/errors';

/** Where Debian's packages install the programs of each major version. */
const debianFolder = '/usr/lib/postgresql';

/**
 * Runs a program of PostgreSQL and returns what it printed. A URL is that of the database, whose password other users must not
 * see in the arguments. Throws Refused with what it printed.
 */
export type RunProgram = (
  program: 'pg_dump' | 'pg_restore' | 'psql',
  args: readonly string[],
  url?: string,
) => Promise<string>;

/** The programs of a server's major version, or of a later one. Throws Refused if there are none. */
export function findPrograms(version: number): RunProgram {
  const installed = existsSync(debianFolder) ? readdirSync(debianFolder).map(Number) : [];
  const [fitting] = installed
    .filter((one) => one >= version && existsSync(join(debianFolder, String(one), 'bin', 'pg_dump')))
    .sort((a, b) => a - b);
  const { stdout } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' });
  const inPath = Number(/\) (\d+)/.exec(stdout ?? '')?.[1] ?? 0);
  if (fitting === undefined && inPath < version)
    throw new Refused(
      `pg_dump, pg_restore and psql of PostgreSQL ${version} or newer are not installed: sudo apt install postgresql-client-${version} (Debian has the version of its release, apt.postgresql.org has all)`,
    );
  const folder = fitting === undefined ? '' : join(debianFolder, String(fitting), 'bin');
  return (program, args, url) => {
    const database = url === undefined ? undefined : new URL(url);
    const PGPASSWORD = decodeURIComponent(database?.password ?? '');
    if (database) database.password = '';
    const all = [...args, ...(database ? [`--dbname=${database.href}`] : [])];
    const env = {
      ...process.env,
      PGAPPNAME: `visitor-counter ${program}`,
      ...(PGPASSWORD && { PGPASSWORD }),
    };
    return outputOf(spawn(join(folder, program), all, { env }));
  };
}

/** What a program printed when it has ended. Throws Refused with what it printed. */
export async function outputOf(child: ChildProcess): Promise<string> {
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject).once('close', resolve);
  const [output, errors, code] = await Promise.all([
    child.stdout && text(child.stdout),
    child.stderr && text(child.stderr),
    ended,
  ]);
  if (code !== 0) throw new Refused(errors?.trim() || `exit code ${code}`);
  return output ?? '';
}
