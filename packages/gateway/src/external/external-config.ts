import { hostname } from 'node:os';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { anyText, textLike, url, wholeNumber } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings } from '@visitor-counter/service/settings/setting';
import { type BrokerTls, brokerTlsSettings, readBrokerTls } from './broker-tls.ts';

/** An existing broker that the gateway consumes from, instead of being the units' broker itself. */
export interface ExternalConfig {
  /** `mqtt://host:port` or `mqtts://host:port`, without user and password. */
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: BrokerTls;
  /** The name of the shared subscription: all gateways of one database have the same. */
  readonly group: string;
  /** The beginning of the client ids of this gateway's connections: no two gateways have the same. */
  readonly clientId: string;
  /** Consuming connections, each for one message at a time. */
  readonly connections: number;
  /** How long the broker keeps the queues of a gateway that is not connected (s). */
  readonly sessionExpiry: number;
}

/** A part of a topic filter or of a client id, without the characters that have a meaning there. */
const name = textLike('letters, digits, dots, dashes and underscores', (text) =>
  /^[A-Za-z0-9_.-]{1,200}$/.test(text),
);

export const externalSettings = {
  MQTT_URL: {
    kind: url(
      'mqtts://user:password@host:8883',
      ['mqtt:', 'mqtts:'],
      (broker) => broker.hostname !== '' && /^\/?$/.test(broker.pathname) && isDecodable(broker),
    ),
    isSecret: true,
    otherwise: 'the gateway is the broker',
    does: 'An [existing broker](external-broker.md) that the gateway consumes from, instead of being the broker itself.',
  },
  MQTT_USERNAME: {
    kind: anyText,
    otherwise: 'from the URL',
    does: 'The account of the gateway at that broker.',
  },
  MQTT_PASSWORD: {
    kind: anyText,
    isSecret: true,
    otherwise: 'from the URL',
    does: 'The password of that account.',
  },
  ...brokerTlsSettings,
  MQTT_CLIENT_ID: {
    kind: name,
    otherwise: '`visitor-counter-<host name>`',
    does: 'Different for each gateway, and the same after a restart.',
  },
  MQTT_SHARE_GROUP: {
    kind: name,
    default: 'visitor-counter',
    does: 'The same for all gateways of one database.',
  },
  MQTT_CONNECTIONS: {
    kind: wholeNumber(1, 1_000),
    default: '32',
    does: 'Consuming connections; each processes one message at a time.',
  },
  MQTT_SESSION_EXPIRY: {
    kind: wholeNumber(0, 604_800),
    default: '60',
    does: 'How long the broker keeps the queues of a gateway that is not connected, in seconds.',
  },
} satisfies Settings;

/** Undefined where no `MQTT_URL` is set. Throws a ConfigurationError. */
export function readExternalConfig(env: Environment): ExternalConfig | undefined {
  const settings = readSettings(externalSettings, env);
  if (settings.MQTT_URL === undefined) return undefined;
  const broker = new URL(settings.MQTT_URL);
  const username = settings.MQTT_USERNAME ?? decodeURIComponent(broker.username);
  const password = settings.MQTT_PASSWORD ?? decodeURIComponent(broker.password);
  const tls = readBrokerTls(env, broker.protocol);
  return {
    url: `${broker.protocol}//${broker.host}`,
    ...(username && { username }),
    ...(password && { password }),
    ...(tls && { tls }),
    group: settings.MQTT_SHARE_GROUP,
    clientId: settings.MQTT_CLIENT_ID ?? `visitor-counter-${hostname().replace(/[^A-Za-z0-9_.-]/g, '-')}`,
    connections: settings.MQTT_CONNECTIONS,
    sessionExpiry: settings.MQTT_SESSION_EXPIRY,
  };
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}
