import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { folder, url } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings } from '@visitor-counter/service/settings/setting';
import pg from 'pg';

export const databaseSettings = {
  DATABASE_URL: {
    kind: url('postgres://user:password@host:5432/database', ['postgres:', 'postgresql:']),
    isSecret: true,
    otherwise: 'the embedded PostgreSQL',
    does: 'The PostgreSQL database to use.',
  },
  DATA_DIR: {
    kind: folder,
    otherwise: '`.data` in the checkout',
    does: 'The folder with the data of the embedded PostgreSQL. Programs find a running one there, if `DATABASE_URL` is not set.',
  },
} satisfies Settings;

/**
 * `DATABASE_URL`; undefined when it is not set. Throws a ConfigurationError without its value: it may contain a
 * password.
 */
export function databaseUrl(env: Environment): string | undefined {
  return readSettings(databaseSettings, env).DATABASE_URL;
}

/** The folder of the embedded PostgreSQL: `DATA_DIR`, or `.data` in the repository. */
export function dataFolder(env: Environment): string {
  const { DATA_DIR } = readSettings(databaseSettings, env);
  return resolve(DATA_DIR ?? resolve(import.meta.dirname, '../../../.data'));
}

/**
 * The URL of the database to use: `DATABASE_URL`, else the embedded one while a program runs it.
 *
 * Throws a ConfigurationError that names both options if there is neither, or if the embedded one ended without
 * removing its address. A database given by `DATABASE_URL` is not connected to.
 */
export async function findDatabase(env: Environment): Promise<string> {
  const given = databaseUrl(env);
  if (given !== undefined) return given;
  const postgres = resolve(dataFolder(env), 'postgres');
  const found = await findAddress(postgres).catch((error: Error) => notFound(error.message));
  if (found === undefined) notFound(`none runs on ${postgres}`);
  const problem = await connectionProblem(found, answerDeadline);
  if (problem !== undefined) notFound(`the one that ran on ${postgres} does not answer: ${problem}`);
  return found;
}

function notFound(reason: string): never {
  const expected =
    'the URL of a PostgreSQL database, or `npx pnpm serve` or `npx pnpm start` running with its embedded one';
  throw new ConfigurationError('DATABASE_URL', undefined, `${expected} (${reason})`);
}

/** How long the embedded database, on this machine, may take to answer (ms). */
const answerDeadline = 5_000;

/** Why no connection can be made within `deadline` ms; undefined when one can. */
export async function connectionProblem(url: string, deadline: number): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: deadline });
  client.on('error', () => {});
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * While the embedded database runs, this file in its folder contains the connection URL, so that the operator's
 * command line finds it. Only its owner can read it. A process that was killed leaves it behind.
 */
const fileName = 'address';

/** Replaces an earlier address atomically. */
export async function publishAddress(folder: string, url: string): Promise<void> {
  const unfinished = join(folder, `${fileName}.${process.pid}`);
  await rm(unfinished, { force: true });
  await writeFile(unfinished, url, { mode: 0o600 });
  await rename(unfinished, join(folder, fileName));
}

export async function withdrawAddress(folder: string): Promise<void> {
  await rm(join(folder, fileName), { force: true });
}

/** The URL of the embedded database of `folder`; undefined when none runs. Throws if it is not readable. */
export async function findAddress(folder: string): Promise<string | undefined> {
  return readFile(join(folder, fileName), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
