import { resolve } from 'node:path';
import { readReplica } from '@visitor-counter/database/embedded/find-database';
import { certificateFiles, readAuthorities } from '@visitor-counter/service/certificates';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { Environment } from '@visitor-counter/service/settings/environment';
import {
  folder,
  host,
  oneOf,
  pemFile,
  port,
  textLike,
  wholeNumber,
} from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings, type SettingsGroup } from '@visitor-counter/service/settings/setting';
import type { XmlNames } from './formats/xml.ts';
import { trustedProxies } from './http/public-url.ts';

/** Where `npx pnpm build` writes it. */
const builtPage = resolve(import.meta.dirname, '../../dashboard/dist');

export const httpSettings = {
  HTTP_HOST: {
    kind: host,
    default: '127.0.0.1',
    does: 'The address of the public interface, the page and their health checks.',
  },
  HTTP_PORT: { kind: port, default: '8080', does: 'The port of the public interface and the page.' },
  HTTP_TLS_CERT: {
    kind: pemFile,
    does: 'The certificate and those between it and its root, for HTTPS instead of HTTP. The files are read again when they change. See [TLS](operators.md#tls).',
  },
  HTTP_TLS_KEY: { kind: pemFile, does: 'The key of that certificate.' },
  API_PATH_ID: {
    /* Unreserved characters of RFC 3986 mean themselves in a path; `.` and `..` mean other paths. */
    kind: textLike(
      'one path segment of letters, digits, "-", ".", "_", "~", other than "health", "ready", "live", "v1", "assets"',
      (text) => /^[A-Za-z0-9._~-]{1,64}$/.test(text) && !/^(\.{1,2}|health|ready|live|v1|assets)$/.test(text),
    ),
    default: 'public',
    does: 'The path segment in front of `Service.asmx`.',
  },
  TRUSTED_PROXIES: {
    kind: trustedProxies,
    does: 'Proxies in front of the api whose `X-Forwarded-For`, `-Proto` and `-Host` are trusted.',
  },
  HTTP_PLAIN_SIGN_IN: {
    kind: oneOf('loopback', 'everywhere'),
    default: 'loopback',
    does: 'From where staff may sign in without HTTPS: from this machine only, or from everywhere. Their credential can then be read on the network.',
  },
  PAGE_DIR: {
    kind: folder,
    otherwise: 'the result of `npx pnpm build`',
    does: 'The folder of the page that is served at `/`.',
  },
} satisfies Settings;

const enrolmentSettings = {
  PUBLIC_MQTT_URL: {
    kind: textLike('mqtts://host:port or mqtt://host:port', isMqttUrl),
    otherwise: '`mqtts://<host of the request>:8883`',
    does: 'The address of the gateway that units receive when they [enrol](operators/companies.md#enrolment).',
  },
  PUBLIC_MQTT_CA: {
    kind: pemFile,
    otherwise: 'the CA of the api',
    does: 'The CA that signs the certificate of the gateway, for units that enrol.',
  },
} satisfies Settings;

/** A name for an element and for a class in every language that proxies are generated in. */
const elementName = textLike('a letter or "_", then letters, digits or "_"', (text) =>
  /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(text),
);

const xmlSettings = {
  XML_NAMESPACE: {
    kind: textLike(
      'an absolute URI, such as http://tempuri.org/',
      (text) => URL.canParse(text) && /^[!-~]{1,256}$/.test(text),
    ),
    default: 'http://tempuri.org/',
    does: 'The namespace of XML and SOAP, for callers whose proxies were generated elsewhere.',
  },
  XML_COUNT_EVENT: {
    kind: elementName,
    default: 'CountEvent',
    does: 'The name of the record of a count event in XML and SOAP.',
  },
  XML_INACTIVE_DEVICE: {
    kind: elementName,
    default: 'InactiveDevice',
    does: 'The name of the record of an inactive device in XML and SOAP.',
  },
} satisfies Settings;

const count = wholeNumber(1, 1_000_000_000);

const limitSettings = {
  API_EXPORTS: {
    kind: wholeNumber(1, 100),
    default: '8',
    does: 'Date ranges read at the same time. Each uses a connection to the database, and the api has 14 more. A company gets at most half of them.',
  },
  API_STREAMS: {
    kind: count,
    default: '5000',
    does: 'Live streams open at the same time in one process; every open page is one. They are divided between companies as date ranges are.',
  },
  API_REQUESTS_PER_MINUTE: { kind: count, default: '6000', does: 'Requests with one credential.' },
  API_FAILURES_PER_MINUTE: {
    kind: count,
    default: '100',
    does: 'Wrong credentials from one address that are answered as such; further ones get 429. A right one is always served. Behind a proxy set `TRUSTED_PROXIES`, otherwise all callers are one address.',
  },
  API_STATEMENT_SECONDS: {
    kind: wholeNumber(1, 3_600),
    default: '30',
    does: 'Longest time of one statement of the database, in seconds. A range is read by many short ones. If the database has not answered a second later, the api ends the connection and answers 503.',
  },
} satisfies Settings;

export const apiSettings: readonly SettingsGroup[] = [
  { title: 'Api', settings: { ...httpSettings, ...enrolmentSettings, ...xmlSettings } },
  { title: 'Api: limits', settings: limitSettings },
];

export type ApiConfig = Awaited<ReturnType<typeof readApiConfig>>;

/** Reads the settings. Throws a ConfigurationError that names what cannot be used. */
export async function readApiConfig(env: Environment) {
  const settings = readSettings({ ...httpSettings, ...enrolmentSettings, ...xmlSettings }, env);
  const { PUBLIC_MQTT_URL: mqttUrl, PUBLIC_MQTT_CA: caFile } = settings;
  const { XML_COUNT_EVENT: CountEvent, XML_INACTIVE_DEVICE: InactiveDevice } = settings;
  if (InactiveDevice === CountEvent) {
    throw new ConfigurationError('XML_INACTIVE_DEVICE', InactiveDevice, 'another name than XML_COUNT_EVENT');
  }
  const xml: XmlNames = { namespace: settings.XML_NAMESPACE, records: { CountEvent, InactiveDevice } };
  const mqttCa = caFile && String(await readAuthorities('PUBLIC_MQTT_CA', caFile));
  return {
    host: settings.HTTP_HOST,
    /** 0 is any free one. */
    port: settings.HTTP_PORT,
    /** HTTP over TLS with these; HTTP without them. */
    tls: certificateFiles('HTTP_TLS', settings.HTTP_TLS_CERT, settings.HTTP_TLS_KEY),
    pathId: settings.API_PATH_ID,
    trustedProxies: settings.TRUSTED_PROXIES ?? [],
    plainSignIn: settings.HTTP_PLAIN_SIGN_IN === 'everywhere',
    xml,
    limits: readLimits(env),
    /** Where exports and reports are read from, if not from the database. */
    replica: readReplica(env),
    pageFolder: resolve(settings.PAGE_DIR ?? builtPage),
    units: { mqttUrl, mqttCa },
  };
}

export type ApiLimits = ReturnType<typeof readLimits>;

/** Reads the limits of callers. Throws a ConfigurationError. */
export function readLimits(env: Environment) {
  const settings = readSettings(limitSettings, env);
  return {
    failuresPerMinute: settings.API_FAILURES_PER_MINUTE,
    requestsPerMinute: settings.API_REQUESTS_PER_MINUTE,
    exports: settings.API_EXPORTS,
    streams: settings.API_STREAMS,
    /** ms */
    statement: 1_000 * settings.API_STATEMENT_SECONDS,
  };
}

function isMqttUrl(value: string): boolean {
  const url = URL.parse(value);
  return /^mqtts?:$/.test(url?.protocol ?? '') && url?.hostname !== '' && url?.username === '';
}
