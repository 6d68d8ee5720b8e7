import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import type { Environment } from './settings/environment.ts';
import { oneOf } from './settings/kinds.ts';
import { readSettings, type Settings } from './settings/setting.ts';

export type { DestinationStream, Logger };

export const logSettings = {
  LOG_LEVEL: {
    kind: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    does: 'Messages of this level and of the more severe ones are logged.',
  },
} satisfies Settings;

/**
 * A structured logger: one JSON object a line on standard output, or on `lines`, from the level `LOG_LEVEL` on. Fields that
 * could contain a secret are removed, whatever their value.
 */
export function createLogger(service: string, env: Environment, lines?: DestinationStream): Logger {
  const options = {
    base: { service },
    level: readSettings(logSettings, env).LOG_LEVEL,
    timestamp: stdTimeFunctions.isoTime,
    redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`]), remove: true },
  };
  return lines === undefined ? pino(options) : pino(options, lines);
}

/** The default destination of logs. */
export function standardOutput(): DestinationStream {
  return destination(1);
}

const secretFields = ['password', 'secret', 'token', 'Token', 'authorization', 'connectionString'];
