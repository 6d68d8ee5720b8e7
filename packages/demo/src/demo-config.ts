import { createServer } from 'node:net';
import { httpSettings } from '@visitor-counter/api/config';
import { databaseSettings, dataFolder } from '@visitor-counter/database/embedded/find-database';
import { tlsSettings } from '@visitor-counter/gateway/listener/tls-server';
import { listenerSettings } from '@visitor-counter/gateway/start/config';
import { certificateFiles } from '@visitor-counter/service/certificates';
import { listenFrom, localHost, urlOf } from '@visitor-counter/service/listen';
import { logSettings } from '@visitor-counter/service/logger';
import type { Running } from '@visitor-counter/service/run-service';
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

/** The ports, with the defaults of those that the operator has not set. */
const defaultPorts = { MQTT_PORT: 1883, MQTTS_PORT: 8883, HTTP_PORT: 8080 };

/** Reads the environment of `npx pnpm start`; every variable is optional. Throws a ConfigurationError. */
export function readDemoConfig(env: Environment) {
  const settings = readSettings(demoSettings, env);
  const { MQTT_TLS_CERT, MQTT_TLS_KEY, HTTP_TLS_CERT, HTTP_TLS_KEY } = settings;
  const mqttTls = certificateFiles('MQTT_TLS', MQTT_TLS_CERT, MQTT_TLS_KEY);
  const isPlainEverywhere = !mqttTls || settings.MQTT_ALLOW_PLAINTEXT === 'true';
  return {
    /** The operator's own database; undefined for the embedded one. */
    databaseUrl: settings.DATABASE_URL,
    dataFolder: dataFolder(env),
    mqttHost: settings.MQTT_HOST,
    mqttTls,
    /** Whether the gateway listens without encryption because of the demonstration's own units only. */
    isPlainForOwnUnits: !isPlainEverywhere,
    /** The host on which the gateway listens without encryption. */
    plainMqttHost: isPlainEverywhere ? settings.MQTT_HOST : '127.0.0.1',
    httpHost: settings.HTTP_HOST,
    httpTls: certificateFiles('HTTP_TLS', HTTP_TLS_CERT, HTTP_TLS_KEY),
    apiPathId: settings.API_PATH_ID,
    /** Whether the operator has set a port, or the gateway address that the api returns to enrolling units. */
    isSet: (name: keyof typeof defaultPorts | 'PUBLIC_MQTT_URL') => text(env, name) !== undefined,
  };
}

export type DemoAddresses = ReturnType<typeof demoAddresses>;

/** The addresses at which the server listens; `ready` has its ports. */
export function demoAddresses(config: DemoConfig, ready: Running['ready']) {
  const url = (scheme: string, host: string, port: unknown) => urlOf(scheme, host, Number(port));
  const pageUrl = `${url(config.httpTls ? 'https' : 'http', localHost(config.httpHost), ready['httpPort'])}/`;
  return {
    /** That of the demonstration's own units, which speak without encryption. */
    mqttUrl: url('mqtt', config.plainMqttHost, ready['mqttPort']),
    mqttsUrl: config.mqttTls && url('mqtts', config.mqttHost, ready['mqttsPort']),
    pageUrl,
    serviceUrl: `${pageUrl}${config.apiPathId}/Service.asmx`,
  };
}

/**
 * The settings of the server that differ from those of the operator: of the ports that are not set, the next free ones, which
 * `notice` reports; and the loopback address for the demonstration's own units if others speak TLS. Throws a
 * ConfigurationError.
 */
export async function serverSettings(
  config: DemoConfig,
  notice: (text: string) => void,
): Promise<Record<string, string>> {
  const { mqttHost, plainMqttHost, isPlainForOwnUnits, httpHost, mqttTls, isSet } = config;
  const chosen: Record<string, string> = {};
  const choose = async (setting: keyof typeof defaultPorts, host: string) => {
    if (!isSet(setting))
      chosen[setting] = String(await freePort(setting, host, defaultPorts[setting], notice));
  };
  await choose('MQTT_PORT', plainMqttHost);
  if (mqttTls) await choose('MQTTS_PORT', mqttHost);
  await choose('HTTP_PORT', httpHost);
  const { MQTTS_PORT = '8883' } = { ...process.env, ...chosen };
  if (mqttTls && MQTTS_PORT !== '8883' && !isSet('PUBLIC_MQTT_URL'))
    notice(`Units that enrol receive port 8883: set PUBLIC_MQTT_URL to mqtts://<this host>:${MQTTS_PORT}.`);
  return { ...chosen, ...(isPlainForOwnUnits && { MQTT_ALLOW_PLAINTEXT: 'loopback' }) };
}

/** The default port of a setting, or the next free one. Throws a ConfigurationError if there is none. */
export async function freePort(
  setting: string,
  host: string,
  fallback: number,
  notice: (text: string) => void,
): Promise<number> {
  const server = createServer();
  const port = await listenFrom(server, { host, port: fallback, setting, isDefault: true });
  await new Promise((resolve) => server.close(resolve));
  if (port !== fallback)
    notice(`Port ${fallback} is taken; using ${port} instead (${setting} chooses another).`);
  return port;
}
