import { type Environment, wholeNumber } from '@visitor-counter/service/environment';
import type { PlaceLimits } from './connection-limits.ts';
import type { PaceLimits } from './rate-limits.ts';

/** What the gateway takes at most from those who connect to it. */
export interface DefenceLimits extends PlaceLimits, PaceLimits {
  /** From the connection to its CONNACK (ms). */
  readonly loginWithin: number;
  /** Failed logins of one address in a minute. */
  readonly failuresPerMinute: number;
}

const most = 1_000_000_000;

/** Reads the limits; throws a ConfigurationError on garbage. */
export function readLimits(env: Environment): DefenceLimits {
  const number = (name: string, fallback: number, max = most) =>
    wholeNumber(env, name, { min: 1, max }) ?? fallback;
  const connections = number('MQTT_MAX_CONNECTIONS', 20_000);
  return {
    connections,
    connectionsPerAddress: number('MQTT_MAX_CONNECTIONS_PER_ADDRESS', connections),
    pendingPerAddress: number('MQTT_MAX_PENDING_PER_ADDRESS', 5_000),
    loginWithin: 1_000 * number('MQTT_LOGIN_SECONDS', 10, 3_600),
    failuresPerMinute: number('MQTT_LOGIN_FAILURES_PER_MINUTE', 100),
    messagesPerSecond: number('MQTT_MESSAGES_PER_SECOND', 2_000),
    bytesPerSecond: number('MQTT_BYTES_PER_SECOND', 2 * 1024 * 1024),
  };
}
