import { resolve } from 'node:path';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { databaseUrl, type Environment, folder } from '@visitor-counter/service/environment';
import pg from 'pg';
import { findAddress } from './address.ts';

/** The folder that keeps what runs leave behind: `DATA_DIR`, or `.data` in the repository. */
export function dataFolder(env: Environment): string {
  return resolve(folder(env, 'DATA_DIR') ?? resolve(import.meta.dirname, '../../../.data'));
}

/**
 * The URL of the database to use: `DATABASE_URL`, else the embedded one while `npx pnpm start` runs.
 *
 * Throws a ConfigurationError that names both ways when there is neither, also when the embedded one left
 * its address behind without ending cleanly. A database given by `DATABASE_URL` is not asked.
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
  const expected = 'the URL of a PostgreSQL database, or `npx pnpm start` running with its embedded one';
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
