import type { Socket } from 'node:net';
import { addressKey } from '@visitor-counter/service/address-key';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { wholeNumber } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings } from '@visitor-counter/service/settings/setting';

type MaxConnections = Pick<ListenerLimits, 'connections' | 'connectionsPerAddress'>;

/**
 * Counts the sockets of a server, in total and per address, and admits no more than the limits allow. `onRefused` receives the
 * limit for which a connection was refused.
 */
export function connectionLimits(
  max: MaxConnections,
  onRefused: (limit: keyof MaxConnections) => void,
  log: BoundedLog,
) {
  const sockets = new Set<Socket>();
  const openFrom = new Map<string, number>();
  const countOf = (address: string) => openFrom.get(address) ?? 0;
  /** The limit that one more connection of an address would exceed, if any. */
  const exceeded = (address: string) => {
    if (sockets.size >= max.connections) return 'connections';
    return countOf(address) >= max.connectionsPerAddress ? 'connectionsPerAddress' : undefined;
  };
  return {
    /** Open connections, including those in their TLS handshake. */
    open: () => sockets.size,
    destroyAll: () => {
      for (const socket of sockets) socket.destroy();
    },
    /** Admits a new connection, before anything is read from it, or destroys it. */
    admit: (socket: Socket): void => {
      const address = addressKey(socket.remoteAddress);
      const limit = exceeded(address);
      if (limit !== undefined) {
        onRefused(limit);
        log.write('warn', { limit, address: socket.remoteAddress }, 'connection refused');
        socket.destroy();
        return;
      }
      sockets.add(socket);
      openFrom.set(address, countOf(address) + 1);
      socket.once('close', () => {
        sockets.delete(socket);
        const left = countOf(address) - 1;
        if (left > 0) openFrom.set(address, left);
        else openFrom.delete(address);
      });
    },
  };
}

/** Limits for the clients of the gateway's own broker. */
export type ListenerLimits = ReturnType<typeof readListenerLimits>;

const count = wholeNumber(1, 1_000_000_000);

export const listenerLimitSettings = {
  MQTT_MAX_CONNECTIONS: { kind: count, default: '20000', does: 'Connections at the same time, in total.' },
  MQTT_MAX_CONNECTIONS_PER_ADDRESS: {
    kind: count,
    otherwise: '`MQTT_MAX_CONNECTIONS`',
    does: 'Connections at the same time from one address. For IPv6, an address means its /64 network, here and below.',
  },
  MQTT_LOGIN_SECONDS: {
    kind: wholeNumber(1, 3_600),
    default: '10',
    does: 'Longest time from the connection to the answer to the login, in seconds. With TLS, the handshake before it may take as long again.',
  },
  MQTT_LOGIN_FAILURES_PER_MINUTE: {
    kind: count,
    default: '100',
    does: 'Failed logins from one address in a minute, also all at the same time. Of further logins a right one is accepted, and a wrong one gets "server unavailable".',
  },
  MQTT_BYTES_PER_SECOND: {
    kind: count,
    default: '16384',
    does: 'Bytes of one device in a second, in the long run: some hundred people. Each message counts as 256 more. A device that has sent more is read more slowly, and the alert `limits-exceeded` reports it.',
  },
  MQTT_BURST_BYTES: {
    kind: count,
    default: '67108864',
    does: 'Bytes that one device may send at full speed after a pause: some million crossings.',
  },
} satisfies Settings;

/** Reads the limits; throws a ConfigurationError for a value that cannot be used. */
export function readListenerLimits(env: Environment) {
  const settings = readSettings(listenerLimitSettings, env);
  return {
    connections: settings.MQTT_MAX_CONNECTIONS,
    connectionsPerAddress: settings.MQTT_MAX_CONNECTIONS_PER_ADDRESS ?? settings.MQTT_MAX_CONNECTIONS,
    /** From the connection to its CONNACK (ms). */
    loginWithin: 1_000 * settings.MQTT_LOGIN_SECONDS,
    failuresPerMinute: settings.MQTT_LOGIN_FAILURES_PER_MINUTE,
    bytesPerSecond: settings.MQTT_BYTES_PER_SECOND,
    burstBytes: settings.MQTT_BURST_BYTES,
  };
}
