import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { hashSecret, secretMatches } from '@visitor-counter/database/credentials/credentials';
import {
  beginConnection,
  type DeviceIdentity,
  findDeviceIdentity,
} from '@visitor-counter/database/devices/connections';
import { isSerial } from '@visitor-counter/domain/serial';
import type { GatewayParts } from '../gateway-parts.ts';
import type { Sender } from '../ingest/receive.ts';
import type { RefusedFor } from './refused-logins.ts';

/** A device that has logged in, until its connection ends; its serial number is its client id. */
export interface Session extends Sender {
  /** SHA-256 of the secret that it has logged in with. */
  readonly secretHash: Buffer;
}

export interface Credentials {
  readonly clientId: string;
  readonly username: string | undefined;
  readonly password: Uint8Array | undefined;
}

export type LoginVerdict =
  | { readonly accepted: Session }
  | { readonly refused: 'not authorized'; readonly reason?: RefusedFor; readonly cause?: unknown }
  | { readonly refused: 'server unavailable'; readonly cause?: unknown };

/** The hash to compare with if there is no such device, so that the response time does not reveal that. */
const unknownHash = hashSecret(randomBytes(32));

/**
 * Checks a login: client id and user name are the serial number, the password is the device's secret.
 * Never rejects; while the database is unavailable, or does not answer within `loginDeadline`, the answer is
 * `server unavailable`.
 */
export async function login(parts: GatewayParts, credentials: Credentials): Promise<LoginVerdict> {
  const { clientId, username, password } = credentials;
  if (username !== clientId || !isSerial(clientId) || password === undefined) {
    return { refused: 'not authorized' };
  }
  const answered = new AbortController();
  const late = delay(parts.limits.loginDeadline, undefined, { signal: answered.signal }).then(
    (): LoginVerdict => ({ refused: 'server unavailable', cause: new Error('the database did not answer') }),
  );
  late.catch(() => {});
  try {
    const device = findDeviceIdentity(parts.db, clientId);
    return await Promise.race([device.then((found) => check(parts, clientId, password, found)), late]);
  } catch (cause) {
    return { refused: 'server unavailable', cause };
  } finally {
    answered.abort();
  }
}

async function check(
  { db, gatewayId }: GatewayParts,
  serial: string,
  password: Uint8Array,
  device: DeviceIdentity,
): Promise<LoginVerdict> {
  const matches = secretMatches(password, device?.secretHash ?? unknownHash);
  if (device === undefined) return { refused: 'not authorized', reason: 'unknown serial' };
  if (!matches || device.revoked)
    return { refused: 'not authorized', reason: device.revoked ? 'revoked secret' : 'wrong secret' };
  const { id: deviceId, secretHash } = device;
  await beginConnection(db, deviceId, gatewayId);
  return { accepted: { deviceId, serial, secretHash } };
}
