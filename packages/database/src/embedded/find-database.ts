import { resolve } from 'node:path';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { folder, url } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings } from '@visitor-counter/service/settings/setting';
import pg from 'pg';
import { findAddress } from './address.ts';

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
  const problem = await problemWith(found);
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

async function problemWith(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: answerDeadline });
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
