import { hostname } from 'node:os';
import {
  type CertificateFiles,
  type Certificates,
  certificateFiles,
  readAuthorities,
  readCertificates,
} from '@visitor-counter/service/certificates';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { anyText, oneOf, pemFile, textLike, url, wholeNumber } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings, type Values } from '@visitor-counter/service/settings/setting';

/** The PEM files with which the gateway and an external broker authenticate each other. */
interface BrokerTls {
  /** The CA that signs the broker's certificate; by default those that Node trusts. */
  readonly caFile?: string;
  /** The gateway's own certificate and its key, for brokers that require one. */
  readonly own?: CertificateFiles;
}

/** An existing broker that the gateway consumes from, instead of being the units' broker itself. */
export type ExternalConfig = NonNullable<ReturnType<typeof readExternalConfig>>;

/** A part of a topic filter or of a client id, without the characters that have a meaning there. */
const name = textLike('letters, digits, dots, dashes and underscores', (text) =>
  /^[A-Za-z0-9_.-]{1,200}$/.test(text),
);

export const externalSettings = {
  MQTT_URL: {
    kind: url(
      'mqtts://user:password@host:8883',
      ['mqtt:', 'mqtts:'],
      ({ hostname, pathname }) => hostname !== '' && /^\/?$/.test(pathname),
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
  MQTT_URL_CA: {
    kind: pemFile,
    otherwise: 'the authorities that Node trusts',
    does: 'The CA that signs the certificate of that broker.',
  },
  MQTT_URL_CERT: { kind: pemFile, does: "The gateway's own certificate, if that broker requires one." },
  MQTT_URL_KEY: { kind: pemFile, does: 'The key of that certificate.' },
  MQTT_CLIENT_ID: {
    kind: name,
    otherwise: '`visitor-counter-<host name>`',
    does: 'Different for each gateway, and the same after a restart.',
  },
  MQTT_SUBSCRIPTIONS: {
    kind: oneOf('shared', 'plain'),
    default: 'shared',
    does: '`shared`: the gateways share all messages, by MQTT 5. `plain`, for a broker without shared subscriptions such as RabbitMQ: every gateway receives all messages, by MQTT 3.1.1.',
  },
  MQTT_SHARE_GROUP: {
    kind: name,
    default: 'visitor-counter',
    does: 'The same for all gateways of one database; for shared subscriptions.',
  },
  MQTT_CONNECTIONS: {
    kind: wholeNumber(1, 1_000),
    default: '32',
    does: 'Consuming connections; each processes one message at a time. With plain subscriptions there are two.',
  },
  MQTT_SESSION_EXPIRY: {
    kind: wholeNumber(0, 604_800),
    default: '60',
    does: 'How long the broker keeps the queues of a gateway that is not connected, in seconds. With plain subscriptions the broker decides for how long, and 0 means not at all.',
  },
} satisfies Settings;

/** Undefined where no `MQTT_URL` is set. Throws a ConfigurationError. */
export function readExternalConfig(env: Environment) {
  const settings = readSettings(externalSettings, env);
  if (settings.MQTT_URL === undefined) return undefined;
  const broker = new URL(settings.MQTT_URL);
  const username = settings.MQTT_USERNAME ?? decodeURIComponent(broker.username);
  const password = settings.MQTT_PASSWORD ?? decodeURIComponent(broker.password);
  const tls = readBrokerTls(settings, broker.protocol);
  return {
    /** Without user and password. */
    url: `${broker.protocol}//${broker.host}`,
    ...(username && { username }),
    ...(password && { password }),
    ...(tls && { tls }),
    subscriptions: settings.MQTT_SUBSCRIPTIONS,
    group: settings.MQTT_SHARE_GROUP,
    clientId: settings.MQTT_CLIENT_ID ?? `visitor-counter-${hostname().replace(/[^A-Za-z0-9_.-]/g, '-')}`,
    connections: settings.MQTT_CONNECTIONS,
    sessionExpiry: settings.MQTT_SESSION_EXPIRY,
  };
}

/**
 * Undefined when none of the files is set. Throws a ConfigurationError if a certificate or its key is missing, and for a
 * connection that would not be encrypted.
 */
function readBrokerTls(
  { MQTT_URL_CA: caFile, MQTT_URL_CERT: certFile, MQTT_URL_KEY: keyFile }: Values<typeof externalSettings>,
  protocol: string,
): BrokerTls | undefined {
  if (caFile === undefined && certFile === undefined && keyFile === undefined) return undefined;
  if (protocol !== 'mqtts:')
    throw new ConfigurationError(
      'MQTT_URL',
      '…',
      'mqtts://, which MQTT_URL_CA, MQTT_URL_CERT and MQTT_URL_KEY require',
    );
  const own = certificateFiles('MQTT_URL', certFile, keyFile);
  return { ...(caFile !== undefined && { caFile }), ...(own && { own }) };
}

/**
 * Reads the files, for each connection, so that the next connection uses renewed ones. Throws a ConfigurationError that
 * names the file that cannot be used.
 */
export async function loadBrokerTls({ caFile, own }: BrokerTls = {}): Promise<Partial<Certificates>> {
  return {
    ...(caFile !== undefined && { ca: await readAuthorities('MQTT_URL_CA', caFile) }),
    ...(own && (await readCertificates(own))),
  };
}
