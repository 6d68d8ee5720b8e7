import { codeOf, reasonOf } from '@visitor-counter/service/errors';
import type pg from 'pg';

/**
 * True when an error says that the database cannot be reached, is going down or coming up, or cannot serve now: a later
 * retry can help, and nothing is wrong with the statement.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isDatabaseUnavailable)) return true;
  const isConnecting = 'syscall' in error && /^(connect|getaddrinfo)$/.test(String(error.syscall));
  const code = String(codeOf(error));
  return isConnecting || lostSocket.test(code) || sqlStates.test(code) || lostConnection.test(error.message);
}

/** A socket that broke; a TLS handshake that failed, as with a certificate that has expired. */
const lostSocket =
  /^(ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPROTO|ERR_(SSL|TLS)_.*|.*CERT.*|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/;

/**
 * Connection exceptions, also of a pooler; only reading allowed, as during a change of the primary or on a full disk; a
 * transaction that the operator's time limits have ended; login refused, which `migrate` reports at start; disk, memory or
 * connections used up; transaction numbers used up; shutdown, crash, not yet accepting, dropped; input and output.
 */
const sqlStates = /^(08...|25006|25P0[34]|28...|53...|54000|57P0[1-5]|58...)$/;

/** The SQLSTATE of a server that does not accept connections yet: it starts, or recovers. */
export const notReady = '57P03';

/**
 * What pg reports without a code, and PostgreSQL with a code that other errors have as well. On a full disk a new session
 * reports `could not write init file`.
 */
const lostConnection =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Connection ended|Query read timeout|The server does not support SSL|There was an error establishing an SSL|could not write init file|database ".*" is not currently accepting connections)/i;

/**
 * True when a lock was not available in time, when transactions waited for each other, or when a read of a standby conflicts
 * with what it must replay: a later retry can help.
 */
export function isLockBusy(error: unknown): boolean {
  return /^(55P03|40P01|40001)$/.test(String(codeOf(error)));
}

/** True when two transactions changed the same rows, or waited for each other: the same work succeeds if it is done again. */
export function isConflict(error: unknown): boolean {
  return /^(40001|40P01)$/.test(String(codeOf(error)));
}

/** How often work is done that conflicts with other writers. */
const attempts = 5;

/** Does work, and again if another writer changed the same rows. Throws the error of the last attempt. */
export async function retryOnConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === attempts || !isConflict(error)) throw error;
    }
  }
}

/** True for a statement that exceeded its time limit, or was cancelled by an operator or because its reader has left. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === '57014';
}

/** The fields of an error in a log message: only the reason, without a stack, where the database is unavailable. */
export function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  return isDatabaseUnavailable(error) ? { reason: reasonOf(error) } : { err: error };
}

/** A database answers, and programs cannot work with it as its URL and its settings are. */
class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
  readonly expected: string;

  constructor(message: string, expected: string) {
    super(message);
    this.expected = expected;
  }
}

/**
 * What an operator must change after an error of a connection, in the words of a ConfigurationError, with the reason;
 * undefined if waiting can help.
 */
export function expectedInstead(error: unknown): string | undefined {
  const reason = reasonOf(error);
  if (error instanceof UnusableDatabase) return `${error.expected}. ${reason}`;
  const [, expected] =
    obstacles.find(([sign]) => sign.test(String(codeOf(error))) || sign.test(reason)) ?? [];
  return expected && `${expected}; it answers: ${reason}`;
}

const ownSession =
  'a pooler in session mode (pool_mode = session, not transaction or statement), or the address of PostgreSQL itself';

/** By the code or the message of an error: user, password or database refused; the CA; the name; TLS; poolers. */
const obstacles: readonly (readonly [sign: RegExp, expected: string])[] = [
  [
    /^(28...|3D000)$|^permission denied for database/,
    'a user, password and database that the server accepts',
  ],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE).*)$/,
    "sslrootcert=FILE in the URL, with the CA of the server's certificate: every sslmode that uses TLS checks it",
  ],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "a host in the URL that the server's certificate names"],
  [
    /^The server does not support SSL/,
    'a server with TLS, or no sslmode in the URL if the network is your own',
  ],
  [
    /unsupported startup parameter/,
    'a URL without the parameter that the pooler refuses, or with the address of PostgreSQL itself',
  ],
  /* A prepared statement exists already, or does not exist: it is the one of another session. */
  [/^(42P05|26000)$/, ownSession],
];

/**
 * Throws an UnusableDatabase if statements of other clients run in the session of `client`, in which this product has
 * locks, settings and prepared statements: a pooler assigns sessions to transactions.
 */
export async function requireOwnSession(pool: pg.Pool, client: pg.ClientBase): Promise<void> {
  const own = await sessionOf(client);
  for (let round = 1; round <= rounds; round += 1) {
    if ((await sessionOf(client)) === own && (await sessionOf(pool)) !== own) continue;
    throw new UnusableDatabase('Its connections share sessions of PostgreSQL', ownSession);
  }
}

/** A pooler that is not in use gives the same session to both in the first round, or another one to each statement. */
const rounds = 10;

async function sessionOf(connection: pg.Pool | pg.ClientBase): Promise<number | undefined> {
  const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

/**
 * Throws an UnusableDatabase if the role is made for reading, and an error of an unavailable database if the database or
 * the server is, as during a failover, or as a provider sets it while a disk is full.
 */
export async function requireWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ source: string; role: string }>(`
    select source, session_user as role from pg_settings
    where name = 'default_transaction_read_only' and setting = 'on'`);
  const [found] = rows;
  if (found === undefined) return;
  const message = `default_transaction_read_only is on for ${found.role} (set by: ${found.source})`;
  if (!/^(user|database user|client)$/.test(found.source))
    throw Object.assign(new Error(`${message}, as while the disk is full`), { code: '25006' });
  throw new UnusableDatabase(
    message,
    'a role that may write: the serving role, or this one after alter role NAME reset default_transaction_read_only',
  );
}
