import { join } from 'node:path';
import { databaseUrl, type Environment, host, port, text } from '@visitor-counter/service/environment';

export interface DemoConfig {
  /** The operator's own database; undefined for the embedded one. */
  readonly databaseUrl: string | undefined;
  readonly dataFolder: string;
  readonly mqttHost: string;
  readonly mqttPort: number | undefined;
  readonly httpHost: string;
  readonly httpPort: number | undefined;
  readonly apiPathId: string;
}

/** Reads the environment of `npx pnpm start`; every variable is optional. */
export function readDemoConfig(env: Environment, root: string): DemoConfig {
  return {
    databaseUrl: databaseUrl(env),
    dataFolder: text(env, 'DATA_DIR') ?? join(root, '.data'),
    mqttHost: host(env, 'MQTT_HOST', '127.0.0.1'),
    mqttPort: port(env, 'MQTT_PORT'),
    httpHost: host(env, 'HTTP_HOST', '127.0.0.1'),
    httpPort: port(env, 'HTTP_PORT'),
    apiPathId: text(env, 'API_PATH_ID') ?? 'public',
  };
}
