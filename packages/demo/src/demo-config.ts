import { createServer } from 'node:net';
import { httpSettings } from '@visitor-counter/api/config';
import { databaseSettings, dataFolder } from '@visitor-counter/database/embedded/find-database';
import { tlsSettings } from '@visitor-counter/gateway/listener/tls-server';
import { listenerSettings } from '@visitor-counter/gateway/start/config';
import { certificateFiles } from '@visitor-counter/service/certificates';
import { listenFrom, localHost, urlOf } from '@visitor-counter/service/listen';
import { logSettings } from '@visitor-counter/service/logger';
import { type Environment, text } from '@visitor-counter/service/settings/environment';
import { readSettings } from '@visitor-counter/service/settings/setting';

/** The settings of the server that the demonstration reads itself; the server reads the others. */
export const demoSettings = {
  ...databaseSettings,
  ...logSettings,
  ...listenerSettings,
  ...tlsSettings,
  ...httpSettings,
};

export type DemoConfig = ReturnType<typeof readDemoConfig>;

/** Reads the environment of `npx pnpm start`; every variable is optional. Throws a ConfigurationError. */
export function readDemoConfig(env: Environment) {
  const settings = readSettings(demoSettings, env);
  const { MQTT_TLS_CERT, MQTT_TLS_KEY, HTTP_TLS_CERT, HTTP_TLS_KEY } = settings;
  const asked = (name: 'MQTT_PORT' | 'MQTTS_PORT' | 'HTTP_PORT') =>
    text(env, name) === undefined ? undefined : settings[name];
  return {
    /** The operator's own database; undefined for the embedded one. */
    databaseUrl: settings.DATABASE_URL,
    dataFolder: dataFolder(env),
    mqttHost: settings.MQTT_HOST,
    /** The ports that the operator has set. */
    ports: { mqtt: asked('MQTT_PORT'), mqtts: asked('MQTTS_PORT'), http: asked('HTTP_PORT') },
    mqttTls: certificateFiles('MQTT_TLS', MQTT_TLS_CERT, MQTT_TLS_KEY),
    /** Whether the gateway also listens without encryption on `mqttHost` if it speaks TLS. */
    plainEverywhere: settings.MQTT_ALLOW_PLAINTEXT === 'true',
    httpHost: settings.HTTP_HOST,
    httpTls: certificateFiles('HTTP_TLS', HTTP_TLS_CERT, HTTP_TLS_KEY),
    apiPathId: settings.API_PATH_ID,
    /** The gateway address that the api returns to enrolling units; the api's default when left out. */
    publicMqttUrl: text(env, 'PUBLIC_MQTT_URL'),
  };
}

/** The ports to use; `mqtts` only with TLS. */
interface DemoPorts {
  readonly mqtt: number;
  readonly mqtts: number | undefined;
  readonly http: number;
}

export type DemoAddresses = ReturnType<typeof demoAddresses>;

/**
 * The addresses at which the demonstration's services listen, and the settings for that. The demonstration's own units
 * speak without encryption, which in addition to TLS is available only on the loopback address.
 */
export function demoAddresses(config: DemoConfig, { mqtt, mqtts, http }: DemoPorts) {
  const pageUrl = `${urlOf(config.httpTls ? 'https' : 'http', localHost(config.httpHost), http)}/`;
  const env: Record<string, string> = {
    MQTT_HOST: config.mqttHost,
    MQTT_PORT: String(mqtt),
    ...(mqtts !== undefined && { MQTTS_PORT: String(mqtts) }),
    ...(mqtts !== undefined && !config.plainEverywhere && { MQTT_ALLOW_PLAINTEXT: 'loopback' }),
    HTTP_HOST: config.httpHost,
    HTTP_PORT: String(http),
    API_PATH_ID: config.apiPathId,
  };
  return {
    mqttUrl: urlOf('mqtt', plainMqttHost(config), mqtt),
    mqttsUrl: mqtts === undefined ? undefined : urlOf('mqtts', config.mqttHost, mqtts),
    pageUrl,
    serviceUrl: `${pageUrl}${config.apiPathId}/Service.asmx`,
    env,
  };
}

/** The port of the gateway that the api returns to enrolling units by default. */
const usualMqttsPort = 8883;

/**
 * The ports of the configuration, and for each one that is not set its default, or the next free one if that is in use;
 * then `notice` reports it. Throws a ConfigurationError.
 */
export async function choosePorts(config: DemoConfig, notice: (text: string) => void): Promise<DemoPorts> {
  const { mqttHost, httpHost, mqttTls, ports, publicMqttUrl } = config;
  const mqtt = await choosePort('MQTT_PORT', plainMqttHost(config), ports.mqtt, 1883, notice);
  const mqtts = mqttTls && (await choosePort('MQTTS_PORT', mqttHost, ports.mqtts, usualMqttsPort, notice));
  const http = await choosePort('HTTP_PORT', httpHost, ports.http, 8080, notice);
  if (mqtts !== undefined && mqtts !== usualMqttsPort && publicMqttUrl === undefined)
    notice(
      `Units that enrol receive port ${usualMqttsPort}: set PUBLIC_MQTT_URL to mqtts://<this host>:${mqtts}.`,
    );
  return { mqtt, mqtts, http };
}

/**
 * The port on which a service should listen: the configured one, or else the default one, or the next free one if that is
 * in use. Throws a ConfigurationError that names the setting if there is none.
 */
export async function choosePort(
  setting: string,
  host: string,
  asked: number | undefined,
  fallback: number,
  notice: (text: string) => void,
): Promise<number> {
  const server = createServer();
  const address = { host, port: asked ?? fallback, setting, isDefault: asked === undefined };
  const port = await listenFrom(server, address);
  await new Promise((resolve) => server.close(resolve));
  if (asked === undefined && port !== fallback)
    notice(`Port ${fallback} is taken; using ${port} instead (${setting} chooses another).`);
  return port;
}

/** The host on which the gateway listens without encryption. */
function plainMqttHost({ mqttTls, plainEverywhere, mqttHost }: DemoConfig): string {
  return mqttTls && !plainEverywhere ? '127.0.0.1' : mqttHost;
}
