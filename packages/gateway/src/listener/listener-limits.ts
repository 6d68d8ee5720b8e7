import type { Environment } from '@visitor-counter/service/settings/environment';
import { wholeNumber } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings } from '@visitor-counter/service/settings/setting';
import type { MaxConnections } from './connection-limits.ts';
import type { MaxRate } from './rate-limits.ts';

/** Limits for the clients of the gateway's own broker. */
export interface ListenerLimits extends MaxConnections, MaxRate {
  /** From the connection to its CONNACK (ms). */
  readonly loginWithin: number;
  /** Failed logins of one address in a minute. */
  readonly failuresPerMinute: number;
}

const count = wholeNumber(1, 1_000_000_000);

export const listenerLimitSettings = {
  MQTT_MAX_CONNECTIONS: { kind: count, default: '20000', does: 'Connections at the same time, in total.' },
  MQTT_MAX_CONNECTIONS_PER_ADDRESS: {
    kind: count,
    otherwise: '`MQTT_MAX_CONNECTIONS`',
    does: 'Connections at the same time from one address. For IPv6, an address means its /64 network, here and below.',
  },
  MQTT_MAX_PENDING_PER_ADDRESS: {
    kind: count,
    default: '5000',
    does: 'Connections from one address that are not logged in yet.',
  },
  MQTT_LOGIN_SECONDS: {
    kind: wholeNumber(1, 3_600),
    default: '10',
    does: 'Longest time from the connection to the answer to the login, in seconds.',
  },
  MQTT_LOGIN_FAILURES_PER_MINUTE: {
    kind: count,
    default: '100',
    does: 'Failed logins from one address in a minute, also all at the same time. Further logins are looked up in batches: a right one is accepted, a wrong one gets "server unavailable".',
  },
  MQTT_MESSAGES_PER_SECOND: {
    kind: count,
    default: '2000',
    does: 'Messages of one device; twice as many at once. A device that sends faster is read more slowly.',
  },
  MQTT_BYTES_PER_SECOND: {
    kind: count,
    default: '2097152',
    does: 'Bytes of one device; twice as many at once. A device that sends faster is read more slowly.',
  },
} satisfies Settings;

/** Reads the limits; throws a ConfigurationError for a value that cannot be used. */
export function readListenerLimits(env: Environment): ListenerLimits {
  const settings = readSettings(listenerLimitSettings, env);
  return {
    connections: settings.MQTT_MAX_CONNECTIONS,
    connectionsPerAddress: settings.MQTT_MAX_CONNECTIONS_PER_ADDRESS ?? settings.MQTT_MAX_CONNECTIONS,
    pendingPerAddress: settings.MQTT_MAX_PENDING_PER_ADDRESS,
    loginWithin: 1_000 * settings.MQTT_LOGIN_SECONDS,
    failuresPerMinute: settings.MQTT_LOGIN_FAILURES_PER_MINUTE,
    messagesPerSecond: settings.MQTT_MESSAGES_PER_SECOND,
    bytesPerSecond: settings.MQTT_BYTES_PER_SECOND,
  };
}
