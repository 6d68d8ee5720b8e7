import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import type { Readable } from 'node:stream';
import { type AuditedChange, type Author, recordAudit } from '@visitor-counter/database/audit/audit-log';
import { InvalidField } from '@visitor-counter/database/configuration/read-entry';
import { changeConfiguration } from '@visitor-counter/database/configuration/save-row';
import { findDatabase, migrateUrl } from '@visitor-counter/database/embedded/find-database';
import { migrate } from '@visitor-counter/database/migrations/migrate';
import { connect, type Database } from '@visitor-counter/database/sql/connect';
import type { Transaction } from '@visitor-counter/database/sql/query-builder';
import { Refused } from '@visitor-counter/service/errors';
import { firstLineOf } from '@visitor-counter/service/given-secret';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { parseEnvironmentFile } from '@visitor-counter/service/settings/environment';
import { InvalidFileError } from '../file/problems.ts';

/** Everything a command uses of its process. */
export interface CommandContext {
  readonly env: Environment;
  /** File arguments are relative to this folder. */
  readonly folder: string;
  readonly input: Readable;
  /** Writes lines to standard output. */
  readonly print: (text: string) => void;
  /** Writes lines to standard error. */
  readonly printError: (text: string) => void;
  /** Whether the operator has given `--yes`: nothing is asked. */
  readonly yes?: boolean;
  /** Whether the operator has given `--json`: nothing can be asked. */
  readonly json?: boolean;
}

/**
 * The context of this process. pnpm runs scripts in the repository; INIT_CWD is the folder of the operator.
 * COUNTER_ENVIRONMENT names a file with settings that the process does not have: those of the server, if it is installed as
 * a package. The doctor reports a file that cannot be read.
 */
export function processContext(): CommandContext {
  return {
    env: { ...serverSettings(process.env['COUNTER_ENVIRONMENT']), ...process.env },
    folder: process.env['INIT_CWD'] || process.cwd(),
    input: process.stdin,
    print: console.log,
    printError: console.error,
  };
}

function serverSettings(file: string | undefined): Environment {
  if (file === undefined) return {};
  try {
    return parseEnvironmentFile(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/**
 * Asks the operator for confirmation, unless `--yes` is given. Throws Refused for another answer than "yes", and
 * ConfigurationError where it cannot ask.
 */
export async function confirm({ print, input, yes, json }: CommandContext, question: string): Promise<void> {
  if (yes) return;
  if (json) throw new ConfigurationError('--yes', undefined, 'it together with --json');
  print(`${question} Type yes to continue:`);
  if ((await firstLineOf(input)).toLowerCase() === 'yes') return;
  throw new Refused('not confirmed: nothing was changed');
}

/**
 * Connects to the database, migrates it (an operator may run commands before the first service), and closes the
 * connection after `use`. The connection refuses to write: see `change`.
 */
export async function withDatabase<Result>(
  context: CommandContext,
  use: (db: Database) => Promise<Result>,
): Promise<Result> {
  return await connected(context, true, use);
}

/**
 * The same for a command that needs transactions of its own. Each of them must record its changes in the audit log, as changes
 * by `author`.
 */
export async function withChanges<Result>(
  context: CommandContext,
  use: (db: Database, author: Author) => Promise<Result>,
): Promise<Result> {
  return await connected(context, false, (db) => use(db, operatorOf(context.env)));
}

/**
 * Changes something as the operator, in one transaction, which may be repeated. `record` adds what is no row of configuration
 * to the audit log. Throws InvalidFileError for what cannot be saved.
 */
export function change<Result>(
  context: CommandContext,
  save: (trx: Transaction, record: RecordChange) => Promise<Result>,
): Promise<Result> {
  return withChanges(context, ({ kysely }, author) =>
    changeConfiguration(kysely, author, (trx) => save(trx, (entry) => recordAudit(trx, author, entry))),
  ).catch((error: unknown) => {
    throw error instanceof InvalidField ? new InvalidFileError('command line', error.problems) : error;
  });
}

export type RecordChange = (entry: AuditedChange) => Promise<void>;

async function connected<Result>(
  { env }: CommandContext,
  readOnly: boolean,
  use: (db: Database) => Promise<Result>,
): Promise<Result> {
  const url = await findDatabase(env);
  await migrate(url, migrateUrl(env, url));
  const db = connect(url, { applicationName: 'visitor-counter admin', maxConnections: 1, readOnly });
  try {
    return await use(db);
  } finally {
    await db.close();
  }
}

/**
 * The operator who runs this command, for the audit log: OPERATOR, the user who called sudo, or the user of the process; with
 * that user, this computer, and the address of an SSH client.
 */
export function operatorOf(env: Environment): Author {
  const user = userOf(env);
  const [client] = (env['SSH_CONNECTION'] ?? env['SSH_CLIENT'] ?? '').split(' ');
  const origin = `${user}@${hostname()}${client ? ` from ${client}` : ''}`;
  return { kind: 'operator', name: env['OPERATOR'] || user, credential: null, origin };
}

function userOf(env: Environment): string {
  if (env['SUDO_USER']) return env['SUDO_USER'];
  try {
    return userInfo().username;
  } catch {
    /* A container may have a user without a name. */
    return env['USER'] || `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
