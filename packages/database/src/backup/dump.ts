import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { codeOf, Refused } from '@visitor-counter/service/errors';
import { type Author, recordAudit } from '../audit/audit-log.ts';
import { withClient } from '../sql/open-client.ts';
import { preparedOn } from '../sql/query-builder.ts';

/** Where Debian's packages install the programs of each major version. */
const debianFolder = '/usr/lib/postgresql';

/**
 * Runs a program of PostgreSQL and returns what it printed. A URL is that of the database, whose password other users must not
 * see in the arguments. Throws Refused with what it printed.
 */
type RunProgram = (
  program: 'pg_dump' | 'pg_restore' | 'psql',
  args: readonly string[],
  url?: string,
) => Promise<string>;

/** The programs of a server's major version, or of a later one. Throws Refused if there are none. */
function findPrograms(version: number): RunProgram {
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

/** The schema of this product, which the dump creates. Extensions and other schemas are not part of a backup. */
const schema = 'public';

/** Writes a dump of the database into a file, in the custom format of pg_dump. Programs may run meanwhile. */
export async function dumpDatabase(url: string, file: string): Promise<void> {
  const run = await programsFor(url);
  await run('pg_dump', ['--format=custom', `--schema=${schema}`, `--file=${file}`], url);
  await listDump(run, file);
}

/** Throws Refused for a file that is no dump of this product. */
async function listDump(run: RunProgram, file: string): Promise<void> {
  const list = await run('pg_restore', ['--list', file]);
  if (!list.includes(`TABLE DATA ${schema} crossing `) || !list.includes(`SCHEMA - ${schema} `))
    throw new Refused(
      'there is nothing to back up or restore: expected a dump of the schema public with the tables of this product',
    );
}

/**
 * Replaces everything in the schema of the product by what a dump contains, and begins an epoch, in one transaction: if
 * anything fails, nothing has changed. The user must own the database. Throws Refused while a service is connected;
 * one that connects later waits for the tables, and makes the restore fail at its end.
 */
export async function restoreDump(url: string, file: string): Promise<void> {
  const run = await programsFor(url);
  await listDump(run, file);
  await refuseServices(url);
  /* All of it before the transaction begins: psql would commit half a dump that a pipe delivers. */
  const script = `${file}.sql.unfinished`;
  try {
    await writeFile(script, '', { mode: 0o600 });
    await run('pg_restore', ['--no-owner', '--no-privileges', `--file=${script}`, file]);
    await removeNewSetting(script);
    const steps = [`--command=${empty}`, `--file=${script}`, `--command=${finish}`];
    await run('psql', [...inOneTransaction, ...steps], url);
  } finally {
    await rm(script, { force: true });
  }
}

/** The sessions of services in this database, and of other commands. */
const services = `
  select application_name from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and application_name like 'visitor-counter %'`;

const inOneTransaction = ['--no-psqlrc', '--quiet', '--single-transaction', '--set=ON_ERROR_STOP=1'];
const empty = `set client_min_messages = error; set lock_timeout = '10s'; drop schema if exists ${schema} cascade`;
const finish = `set search_path = ${schema}; select begin_epoch(); analyze;
  do $$begin
    if exists (${services}) then raise exception 'a service has connected meanwhile: stop the services first'; end if;
  end$$`;

/** Programs of version 17 set, in the first lines, what servers before it do not know: that line becomes a comment. */
async function removeNewSetting(script: string): Promise<void> {
  await using opened = await open(script, 'r+');
  const { buffer } = await opened.read({ buffer: Buffer.alloc(4_096), position: 0 });
  const at = buffer.indexOf('SET transaction_timeout');
  if (at >= 0) await opened.write('--', at);
}

async function programsFor(url: string): Promise<RunProgram> {
  return await withClient(url, async (client) => {
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::integer / 10000 as version`,
    );
    return findPrograms(rows[0]?.version ?? 0);
  });
}

async function refuseServices(url: string): Promise<void> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ names: string | null }>(
      `select string_agg(distinct application_name, ', ') as names from (${services}) service`,
    ),
  );
  const names = rows[0]?.names;
  if (names) throw new Refused(`${names} uses the database: stop the services first`);
}

/**
 * Records for monitoring that a backup is complete and verified, and when it was taken (epoch ms). A role that only reads
 * cannot: its backups are as good, and are not recorded.
 */
export async function recordBackup(url: string, takenAt: number): Promise<void> {
  await withClient(url, async (client) => {
    try {
      await client.query('update installation set backed_up_at = $1', [new Date(takenAt)]);
    } catch (error) {
      const isForbidden = /^(42501|25006)$/.test(String(codeOf(error)));
      if (!isForbidden) throw error;
    }
  });
}

/** Records in the audit log of a restored database from which file it was restored. */
export async function recordRestore(url: string, author: Author, file: string): Promise<void> {
  const subject = { kind: 'database', key: schema } as const;
  await withClient(url, (client) =>
    recordAudit(preparedOn(client), author, {
      action: 'restored',
      company: null,
      subject,
      details: { file },
    }),
  );
}
