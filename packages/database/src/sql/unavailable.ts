import { reasonOf } from '@visitor-counter/service/errors';

/**
 * True when an error says that the database cannot be reached or is going down or coming up: a later retry can help,
 * and nothing is wrong with the statement.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isDatabaseUnavailable)) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (socketErrors.has(code) && 'syscall' in error && error.syscall === 'connect') return true;
  return systemErrors.has(code) || sqlStates.test(code) || lostConnection.test(error.message);
}

/** A connection to a Unix socket: PostgreSQL removes its socket when it stops, and it does not queue without limit. */
const socketErrors: ReadonlySet<string> = new Set(['ENOENT', 'EAGAIN']);

/**
 * True when an error says that the database, or a table, column, key or function that every version of its schema has,
 * does not exist: as while it is dropped, created and restored from a dump. A mistake in a statement looks the same.
 */
export function isSchemaIncomplete(error: unknown): boolean {
  return error instanceof Error && 'code' in error && incomplete.test(String(error.code));
}

/** Unknown database, schema, table, column or function; no such key to group by, or to conflict with. */
const incomplete = /^(3D000|3F000|42P01|42703|42883|42803|42P10)$/;

/** True when a lock was not available in time, or when transactions waited for each other: a later retry can help. */
export function isLockBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(55P03|40P01)$/.test(String(error.code));
}

/**
 * True for an error that comes from a stored value: what a formatter or a calendar throws, and the data exceptions of
 * PostgreSQL (SQLSTATE class 22). False for everything that concerns all companies alike.
 */
export function isDataFailure(error: unknown): boolean {
  if (error instanceof RangeError || error instanceof TypeError) return true;
  return error instanceof Error && 'code' in error && /^22.../.test(String(error.code));
}

/** The fields of an error in a log message: only the reason, without a stack, where the database is unavailable. */
export function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  return isDatabaseUnavailable(error) ? { reason: reasonOf(error) } : { err: error };
}

const systemErrors: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** Connection exceptions, too many connections, shutdown by the operator, crash, not yet accepting. */
const sqlStates = /^(08...|53300|57P0[1235])$/;

/** What pg says without a code. */
const lostConnection =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Connection ended)/i;
