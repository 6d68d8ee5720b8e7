import { spawn } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import { serverUser } from '@visitor-counter/database/embedded/data-folder';
import { freePort } from '@visitor-counter/test/free-ports';
import { resultOf } from '@visitor-counter/test/result-of';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { onTestFinished } from 'vitest';

/** The folder in which Debian installs the programs of PostgreSQL 15. */
const bin = '/usr/lib/postgresql/15/bin';

/** Runs a program of PostgreSQL as the user that owns the server; throws when it fails. */
async function run(program: string, ...args: readonly string[]): Promise<void> {
  const user = await serverUser('');
  const child = spawn(join(bin, program), args, { ...user, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
  const { err, code } = await resultOf(child);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed (${code}): ${err}`);
}

/**
 * A PostgreSQL server of Debian, which ends with the test: its folder, its port, and its URL for the administrator, who has no
 * password.
 */
export async function startPostgres() {
  const folder = await temporaryFolder();
  const user = await serverUser('');
  if (user) await chown(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  await run('initdb', '--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--no-sync');
  const control = (...args: string[]) => run('pg_ctl', '--pgdata', data, '--silent', '--wait', ...args);
  const port = await freePort();
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=100`;
  await control('start', '--log', join(folder, 'log'), '--options', options);
  onTestFinished(() => control('stop', '--mode', 'immediate'));
  const adminUrl = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  return { folder, port, adminUrl };
}
