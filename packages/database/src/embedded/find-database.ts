import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { reasonOf } from '@visitor-counter/service/errors';
import { writeAtomically } from '@visitor-counter/service/files';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { folder, url, wholeNumber } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings } from '@visitor-counter/service/settings/setting';
import pg from 'pg';
import { closeClient, openClient, withoutCompiling } from '../sql/open-client.ts';

const databaseAddress = url('postgres://user:password@host:5432/database', ['postgres:', 'postgresql:']);

export const databaseSettings = {
  DATABASE_URL: {
    kind: databaseAddress,
    isSecret: true,
    otherwise: 'the embedded PostgreSQL',
    does: 'The PostgreSQL database to use. See [roles](operators.md#roles-of-the-database).',
  },
  DATABASE_READ_URL: {
    kind: databaseAddress,
    isSecret: true,
    otherwise: '`DATABASE_URL`',
    does: 'A streaming standby of that database, from which the api reads exports and reports. See [a read replica](operators.md#a-read-replica).',
  },
  DATABASE_READ_MAX_LAG_SECONDS: {
    kind: wholeNumber(1, 60),
    default: '5',
    does: 'While the standby is further behind, exports and reports are read from `DATABASE_URL`.',
  },
  DATABASE_MIGRATE_URL: {
    kind: databaseAddress,
    isSecret: true,
    otherwise: '`DATABASE_URL`',
    does: 'The same database, with a user who may change the schema: programs use it to bring the schema up to date.',
  },
  DATABASE_ADMIN_URL: {
    kind: databaseAddress,
    isSecret: true,
    does: 'The server, with a user who may make users and databases. Only `admin database setup` uses it.',
  },
  DATA_DIR: {
    kind: folder,
    otherwise: '`.data` in the checkout',
    does: 'The folder with the data of the embedded PostgreSQL. Programs find a running one there, if `DATABASE_URL` is not set.',
  },
} satisfies Settings;

/**
 * A URL in the environment; undefined when it is not set. Throws a ConfigurationError without its value: it may contain
 * a password.
 */
function givenUrl(
  env: Environment,
  setting: 'DATABASE_URL' | 'DATABASE_READ_URL' | 'DATABASE_MIGRATE_URL' | 'DATABASE_ADMIN_URL',
): string | undefined {
  const { [setting]: given } = readSettings({ [setting]: databaseSettings[setting] }, env);
  if (given === undefined) return undefined;
  refuseMissingFiles(setting, given);
  return given;
}

/** `DATABASE_URL`; undefined when it is not set. Throws a ConfigurationError, as for each of the URLs below. */
export function databaseUrl(env: Environment): string | undefined {
  return givenUrl(env, 'DATABASE_URL');
}

/** A standby of the database, for exports and reports. */
export interface ReadReplica {
  readonly url: string;
  /** It is not used while it is further behind (ms). */
  readonly maxLag: number;
}

/** The standby of `DATABASE_READ_URL`; undefined when it is not set. */
export function readReplica(env: Environment): ReadReplica | undefined {
  const { DATABASE_READ_MAX_LAG_SECONDS } = databaseSettings;
  const lag = readSettings({ DATABASE_READ_MAX_LAG_SECONDS }, env).DATABASE_READ_MAX_LAG_SECONDS;
  const url = givenUrl(env, 'DATABASE_READ_URL');
  return url === undefined ? undefined : { url, maxLag: 1_000 * lag };
}

/** The URL with which programs change the schema of the database that they use with `url`. */
export function migrateUrl(env: Environment, url: string): string {
  const given = givenUrl(env, 'DATABASE_MIGRATE_URL');
  /* Otherwise `url` is that of the embedded database, which has only one user. */
  return databaseUrl(env) !== undefined && given !== undefined ? given : url;
}

/** `DATABASE_ADMIN_URL`, which must be set. */
export function adminUrl(env: Environment): string {
  const given = givenUrl(env, 'DATABASE_ADMIN_URL');
  if (given !== undefined) return given;
  throw new ConfigurationError('DATABASE_ADMIN_URL', undefined, databaseAddress.expected);
}

/**
 * The URL for a command that changes the schema: `DATABASE_MIGRATE_URL`, else `DATABASE_URL`, else that of the embedded
 * database while a program runs it.
 */
export async function findMigrateUrl(env: Environment): Promise<string> {
  return givenUrl(env, 'DATABASE_MIGRATE_URL') ?? findDatabase(env);
}

/** Throws a ConfigurationError for parameters of TLS that the driver cannot use, such as a file that is missing. */
function refuseMissingFiles(setting: string, given: string): void {
  try {
    new pg.Client({ connectionString: given });
  } catch (error) {
    const expected = 'files that this user can read for sslrootcert, sslcert and sslkey in the URL';
    throw new ConfigurationError(setting, '…', `${expected} (${reasonOf(error)})`);
  }
}

/** The database of this product in the embedded PostgreSQL. */
export const embeddedName = 'visitor_counter';

/** The folder of the embedded PostgreSQL: `DATA_DIR`, or `.data` in the repository. */
export function dataFolder(env: Environment): string {
  const { DATA_DIR } = readSettings(databaseSettings, env);
  return resolve(DATA_DIR ?? resolve(import.meta.dirname, '../../../../.data'));
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
  if (problem !== undefined)
    notFound(`the one that ran on ${postgres} does not answer: ${reasonOf(problem)}`);
  return found;
}

function notFound(reason: string): never {
  const expected = 'the URL of a PostgreSQL database, or a server that runs with its embedded one';
  throw new ConfigurationError('DATABASE_URL', undefined, `${expected} (${reason})`);
}

/** How long the embedded database, on this machine, may take to answer (ms). */
const answerDeadline = 5_000;

/** Why no connection can be made within `deadline` ms; undefined when one can. */
export async function connectionProblem(url: string, deadline: number): Promise<unknown> {
  try {
    closeClient(
      await openClient({ connectionString: url, connectionTimeoutMillis: deadline }, withoutCompiling),
    );
    return undefined;
  } catch (error) {
    return error;
  }
}

/**
 * While the embedded database runs, this file in its folder contains the connection URL, so that the operator's
 * command line finds it. Only its owner can read it. A process that was killed leaves it behind.
 */
const fileName = 'address';

/** Replaces an earlier address atomically. */
export async function publishAddress(folder: string, url: string): Promise<void> {
  await writeAtomically(join(folder, fileName), url);
}

export async function withdrawAddress(folder: string): Promise<void> {
  await rm(join(folder, fileName), { force: true });
}

/** The URL of the embedded database of `folder`; undefined when none runs. Throws if it is not readable. */
async function findAddress(folder: string): Promise<string | undefined> {
  return readFile(join(folder, fileName), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
