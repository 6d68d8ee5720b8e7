/**
 * True when an error says that the database cannot be reached or is going down or coming up: trying again
 * later can help, and nothing is wrong with the statement.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isDatabaseAway)) return true;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return systemErrors.has(code) || sqlStates.test(code) || lostConnection.test(error.message);
}

/** What an error says, also one that gathers what several addresses of a host said. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
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
