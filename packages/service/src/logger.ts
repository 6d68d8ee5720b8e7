import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { type Environment, oneOf } from './environment.ts';

export type { DestinationStream, Logger };

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/**
 * A structured logger: one JSON object a line on standard output or where `lines` goes, `LOG_LEVEL`
 * (default `info`).
 * Fields that could carry a secret are removed whatever their value.
 */
export function createLogger(service: string, env: Environment, lines?: DestinationStream): Logger {
  const options = {
    base: { service },
    level: oneOf(env, 'LOG_LEVEL', levels, 'info'),
    timestamp: stdTimeFunctions.isoTime,
    redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`]), remove: true },
  };
  return lines === undefined ? pino(options) : pino(options, lines);
}

/** Where a log without another destination goes. */
export function standardOutput(): DestinationStream {
  return destination(1);
}

const secretFields = ['password', 'secret', 'token', 'Token', 'authorization', 'connectionString'];
