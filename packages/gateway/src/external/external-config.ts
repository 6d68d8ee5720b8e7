import { hostname } from 'node:os';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { type Environment, text, wholeNumber } from '@visitor-counter/service/environment';
import { type BrokerTls, readBrokerTls } from './broker-tls.ts';

/** An existing broker whose consumer the gateway is, instead of being the broker of the units itself. */
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
  /** Connections that consume, each of which holds one message. */
  readonly connections: number;
  /** How long the broker keeps the queues of a gateway that is away (s). */
  readonly sessionExpiry: number;
}

/**
 * Reads `MQTT_URL` and what belongs to it; undefined when it is not set. Throws a ConfigurationError that
 * keeps the URL to itself: it may hold a password.
 */
export function readExternalConfig(env: Environment): ExternalConfig | undefined {
  const given = text(env, 'MQTT_URL');
  if (given === undefined) return undefined;
  const url = brokerUrl(given);
  const username = text(env, 'MQTT_USERNAME') ?? decodeURIComponent(url.username);
  const tls = readBrokerTls(env, url.protocol);
  const password = text(env, 'MQTT_PASSWORD') ?? decodeURIComponent(url.password);
  return {
    url: `${url.protocol}//${url.host}`,
    ...(username && { username }),
    ...(password && { password }),
    ...(tls && { tls }),
    group: name(env, 'MQTT_SHARE_GROUP', 'visitor-counter'),
    clientId: name(env, 'MQTT_CLIENT_ID', `visitor-counter-${hostname().replace(/[^A-Za-z0-9_.-]/g, '-')}`),
    connections: wholeNumber(env, 'MQTT_CONNECTIONS', { min: 1, max: 1_000 }) ?? 32,
    sessionExpiry: wholeNumber(env, 'MQTT_SESSION_EXPIRY', { min: 0, max: 604_800 }) ?? 60,
  };
}

function brokerUrl(given: string): URL {
  const url = URL.parse(given);
  const isBroker = url?.protocol === 'mqtt:' || url?.protocol === 'mqtts:';
  if (isBroker && url.hostname !== '' && /^\/?$/.test(url.pathname) && isDecodable(url)) return url;
  throw new ConfigurationError('MQTT_URL', '…', 'a URL such as mqtts://user:password@host:8883');
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

/** A part of a topic filter or of a client id, without the characters that mean something there. */
function name(env: Environment, variable: string, fallback: string): string {
  const value = text(env, variable) ?? fallback;
  if (/^[A-Za-z0-9_.-]{1,200}$/.test(value)) return value;
  throw new ConfigurationError(variable, value, 'letters, digits, dots, dashes and underscores');
}
