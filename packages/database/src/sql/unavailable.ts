import { codeOf, reasonOf } from '@visitor-counter/service/errors';

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

/** True when the server refuses to write: it is a standby, or its disk is full. Another connection may lead to another server. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006';
}

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

/** True for a statement that exceeded its time limit, or was cancelled by an operator or because its reader has left. */
export function isCancelled(error: unknown): boolean {
  return codeOf(error) === '57014';
}

/**
 * True for an error that comes from a stored value: what a formatter or a calendar throws, and the data exceptions of
 * PostgreSQL (SQLSTATE class 22). False for everything that concerns all companies alike.
 */
export function isDataFailure(error: unknown): boolean {
  if (error instanceof RangeError || error instanceof TypeError) return true;
  return /^22.../.test(String(codeOf(error)));
}

/** The fields of an error in a log message: only the reason, without a stack, where the database is unavailable. */
export function errorFields(error: unknown): Readonly<Record<string, unknown>> {
  return isDatabaseUnavailable(error) ? { reason: reasonOf(error) } : { err: error };
}
