import { join } from 'node:path';
import {
  databaseUrl,
  type Environment,
  folder,
  host,
  port,
  text,
} from '@visitor-counter/service/environment';
import { type CertificateFiles, readCertificateFiles } from '@visitor-counter/service/tls/certificate-files';

export interface DemoConfig {
  /** The operator's own database; undefined for the embedded one. */
  readonly databaseUrl: string | undefined;
  readonly dataFolder: string;
  readonly mqttHost: string;
  readonly mqttPort: number | undefined;
  readonly mqttsPort: number | undefined;
  /** Whether the gateway speaks TLS. */
  readonly mqttTls: boolean;
  /** Whether it speaks without encryption on `mqttHost` too. */
  readonly plainEverywhere: boolean;
  readonly httpHost: string;
  readonly httpPort: number | undefined;
  /** What the api shows where it speaks TLS. */
  readonly httpTls: CertificateFiles | undefined;
  readonly apiPathId: string;
  /** What units that enrol are told of the gateway; the api's default when left out. */
  readonly publicMqttUrl: string | undefined;
}

/** Reads the environment of `npx pnpm start`; every variable is optional. */
export function readDemoConfig(env: Environment, root: string): DemoConfig {
  return {
    databaseUrl: databaseUrl(env),
    dataFolder: folder(env, 'DATA_DIR') ?? join(root, '.data'),
    mqttHost: host(env, 'MQTT_HOST', '127.0.0.1'),
    mqttPort: port(env, 'MQTT_PORT'),
    mqttsPort: port(env, 'MQTTS_PORT'),
    mqttTls: readCertificateFiles(env, 'MQTT_TLS') !== undefined,
    plainEverywhere: text(env, 'MQTT_ALLOW_PLAINTEXT') === 'true',
    httpHost: host(env, 'HTTP_HOST', '127.0.0.1'),
    httpPort: port(env, 'HTTP_PORT'),
    httpTls: readCertificateFiles(env, 'HTTP_TLS'),
    apiPathId: text(env, 'API_PATH_ID') ?? 'public',
    publicMqttUrl: text(env, 'PUBLIC_MQTT_URL'),
  };
}
