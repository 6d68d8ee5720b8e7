import type { BoundedLog } from '@visitor-counter/service/bounded-log';

/**
 * Logs a failure of the service's own, bounded since every request may cause one. The name and the code are
 * for the operator; the message of an error out of the database can quote values, so it and the stack are for
 * `LOG_LEVEL=debug`.
 */
export function logFailure(log: BoundedLog, message: string, error: unknown, about: object = {}): void {
  const { name, code } = facts(error);
  log.write('error', { ...about, error: name, code }, message);
  if (error instanceof Error)
    log.write('debug', { error: name, code, stack: error.stack }, `${message}: stack`);
}

function facts(error: unknown): { name: string; code: unknown } {
  if (!(error instanceof Error)) return { name: typeof error, code: undefined };
  return { name: error.name, code: 'code' in error ? error.code : undefined };
}
