import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@visitor-counter/database/connect';
import { findDeviceIdentity, nextConnectionGeneration } from '@visitor-counter/database/ingest/device-login';
import { hashSecret, secretMatches } from '@visitor-counter/database/secret';
import { isSerial } from '@visitor-counter/domain/serial';
import type { Session } from './session.ts';

export interface Credentials {
  readonly clientId: string;
  readonly username: string | undefined;
  readonly password: Uint8Array | undefined;
}

export interface LoginOptions {
  readonly pool: Database['pool'];
  /** The gateway that is to hold the connection. */
  readonly gatewayId: string;
  /** How long a client is kept waiting for an answer to its login (ms). */
  readonly loginDeadline: number;
}

export type LoginVerdict =
  | { readonly accepted: Session }
  | { readonly refused: 'not authorized' | 'server unavailable'; readonly cause?: unknown };

/** Compared with where there is no such device, so that the time it takes does not tell. */
const nobodysHash = hashSecret(randomBytes(32));

/**
 * Checks a login: client id and user name are the serial number, the password is the device's secret.
 * Never rejects; while the database is away, or does not answer within `loginDeadline`, the answer is
 * `server unavailable`.
 */
export async function login(options: LoginOptions, credentials: Credentials): Promise<LoginVerdict> {
  const { clientId, username, password } = credentials;
  if (username !== clientId || !isSerial(clientId) || password === undefined) {
    return { refused: 'not authorized' };
  }
  const answered = new AbortController();
  const late = delay(options.loginDeadline, undefined, { signal: answered.signal }).then(
    (): LoginVerdict => ({ refused: 'server unavailable', cause: new Error('the database did not answer') }),
  );
  late.catch(() => {});
  try {
    return await Promise.race([check(options, clientId, password), late]);
  } catch (cause) {
    return { refused: 'server unavailable', cause };
  } finally {
    answered.abort();
  }
}

async function check(
  { pool, gatewayId }: LoginOptions,
  serial: string,
  password: Uint8Array,
): Promise<LoginVerdict> {
  const device = await findDeviceIdentity(pool, serial);
  const matches = secretMatches(password, device?.secretHash ?? nobodysHash);
  if (device === undefined || !matches || device.revoked) return { refused: 'not authorized' };
  const generation = await nextConnectionGeneration(pool, device.id, gatewayId);
  const { id: deviceId, secretHash } = device;
  return { accepted: { deviceId, serial, generation, secretHash, heldBytes: 0 } };
}
