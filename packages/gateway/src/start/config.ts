import type { CertificateFiles } from '@visitor-counter/service/certificates';
import { type Address, isLoopback } from '@visitor-counter/service/listen';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { host, oneOf, port } from '@visitor-counter/service/settings/kinds';
import {
  readSettings,
  type Settings,
  type SettingsGroup,
  type Values,
} from '@visitor-counter/service/settings/setting';
import { defaultCommitLimits } from '../ingest/group-committer.ts';
import { listenerLimitSettings, readListenerLimits } from '../listener/connection-limits.ts';
import type { ListenerConfig } from '../listener/mqtt-server.ts';
import { readTls, tlsSettings } from '../listener/tls-server.ts';

export const listenerSettings = {
  MQTT_HOST: { kind: host, default: '127.0.0.1', does: 'The address on which units connect.' },
  MQTT_PORT: {
    kind: port,
    default: '1883',
    does: 'The port without encryption, which is available on loopback addresses only, unless `MQTT_ALLOW_PLAINTEXT` allows more.',
  },
  MQTTS_PORT: { kind: port, default: '8883', does: 'The port with TLS, if there is a certificate.' },
  MQTT_ALLOW_PLAINTEXT: {
    kind: oneOf('false', 'true', 'loopback'),
    default: 'false',
    does: '`true`: connections without encryption are accepted on all addresses, also in addition to TLS. `loopback`: they are accepted in addition to TLS, on 127.0.0.1 only.',
  },
} satisfies Settings;

export const gatewaySettings: readonly SettingsGroup[] = [
  { title: 'Gateway: units', settings: { ...listenerSettings, ...tlsSettings } },
  { title: 'Gateway: limits', settings: listenerLimitSettings },
];

/** Reads the settings; throws a ConfigurationError for a value that cannot be used. */
export function readConfig(env: Environment): ListenerConfig {
  const settings = readSettings(listenerSettings, env);
  const secure = secureAddress(settings, readTls(env));
  return {
    plain: plainAddress(settings, secure !== undefined),
    secure,
    listener: readListenerLimits(env),
  };
}

type ListenerValues = Values<typeof listenerSettings>;

function secureAddress(
  { MQTT_HOST, MQTTS_PORT }: ListenerValues,
  tls: CertificateFiles | undefined,
): ListenerConfig['secure'] {
  return tls && { ...tls, host: MQTT_HOST, port: MQTTS_PORT, setting: 'MQTTS_PORT' };
}

/**
 * Units send their secrets in clear text: without TLS they may do so only on the loopback address, or where the
 * operator allows it.
 */
function plainAddress(
  { MQTT_HOST, MQTT_PORT, MQTT_ALLOW_PLAINTEXT: allowed }: ListenerValues,
  isSecure: boolean,
): Address | undefined {
  const address = { host: MQTT_HOST, port: MQTT_PORT, setting: 'MQTT_PORT' };
  if (allowed === 'true') return address;
  if (isSecure) return allowed === 'loopback' ? { ...address, host: '127.0.0.1' } : undefined;
  if (isLoopback(address.host)) return address;
  throw new ConfigurationError(
    'MQTT_HOST',
    address.host,
    'a loopback address, or TLS (MQTT_TLS_CERT and MQTT_TLS_KEY), or MQTT_ALLOW_PLAINTEXT=true',
  );
}

/** Limits that only tests change. */
export type GatewayLimits = Readonly<typeof defaultLimits>;

export const defaultLimits = {
  ...defaultCommitLimits,
  /** Time limit for the answer to a login (ms). */
  loginDeadline: 5_000,
  /**
   * Time limit of a statement (ms), so that its caller can still retry or answer. The server cancels it before the client
   * gives up: a statement that only the client has abandoned would continue there, waiting for a lock for example, and
   * occupy a connection.
   */
  statementTimeout: 5_000,
  /** Time limit for storing the messages already read when the gateway stops (ms). */
  drainDeadline: 5_000,
  /** Between two writes of device states (ms). */
  stateInterval: 1_000,
  /** Polling interval for connections that must end, and for open orders (ms). */
  sessionInterval: 1_000,
  /** How long the connections of this gateway count as open after its last lease renewal (ms). */
  lease: 15_000,
  /** Polling interval for changed certificates (ms). */
  reloadInterval: 5_000,
  /** From one search for missing crossings to the next (ms). */
  recoveryInterval: 2_000,
  /** From one search for units to update to the next (ms). */
  updateInterval: 300_000,
};
