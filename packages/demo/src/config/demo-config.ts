import { httpSettings } from '@visitor-counter/api/config';
import { databaseSettings, dataFolder } from '@visitor-counter/database/embedded/find-database';
import { tlsSettings } from '@visitor-counter/gateway/listener/tls-server';
import { listenerSettings } from '@visitor-counter/gateway/start/config';
import { type CertificateFiles, certificateFiles } from '@visitor-counter/service/certificates';
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

export interface DemoConfig {
  /** The operator's own database; undefined for the embedded one. */
  readonly databaseUrl: string | undefined;
  readonly dataFolder: string;
  readonly mqttHost: string;
  /** The ports that the operator has set. */
  readonly mqttPort: number | undefined;
  readonly mqttsPort: number | undefined;
  /** Whether the gateway speaks TLS. */
  readonly mqttTls: boolean;
  /** Whether it also listens without encryption on `mqttHost`. */
  readonly plainEverywhere: boolean;
  readonly httpHost: string;
  readonly httpPort: number | undefined;
  /** The api's certificate files, if it speaks TLS. */
  readonly httpTls: CertificateFiles | undefined;
  readonly apiPathId: string;
  /** The gateway settings that the api returns to enrolling units; the api's default when left out. */
  readonly publicMqttUrl: string | undefined;
}

/** Reads the environment of `npx pnpm start`; every variable is optional. Throws a ConfigurationError. */
export function readDemoConfig(env: Environment): DemoConfig {
  const settings = readSettings(demoSettings, env);
  const { MQTT_TLS_CERT, MQTT_TLS_KEY, HTTP_TLS_CERT, HTTP_TLS_KEY } = settings;
  const asked = (name: 'MQTT_PORT' | 'MQTTS_PORT' | 'HTTP_PORT') =>
    text(env, name) === undefined ? undefined : settings[name];
  return {
    databaseUrl: settings.DATABASE_URL,
    dataFolder: dataFolder(env),
    mqttHost: settings.MQTT_HOST,
    mqttPort: asked('MQTT_PORT'),
    mqttsPort: asked('MQTTS_PORT'),
    mqttTls: certificateFiles('MQTT_TLS', MQTT_TLS_CERT, MQTT_TLS_KEY) !== undefined,
    plainEverywhere: settings.MQTT_ALLOW_PLAINTEXT === 'true',
    httpHost: settings.HTTP_HOST,
    httpPort: asked('HTTP_PORT'),
    httpTls: certificateFiles('HTTP_TLS', HTTP_TLS_CERT, HTTP_TLS_KEY),
    apiPathId: settings.API_PATH_ID,
    publicMqttUrl: text(env, 'PUBLIC_MQTT_URL'),
  };
}
