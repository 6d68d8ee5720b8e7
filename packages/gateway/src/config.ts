import { type Environment, host, port } from '@visitor-counter/service/environment';
import type { Address } from '@visitor-counter/service/listen';

/** Where the gateway listens; which database it uses is found by `findDatabase`. */
export interface GatewayConfig {
  readonly mqtt: Address;
  readonly health: Address;
  /** True when the port of the health check is the default one: another will do when it is taken. */
  readonly anyHealthPort: boolean;
}

const defaultMqttPort = 1883;
const defaultHealthPort = 9464;

/** Reads `MQTT_HOST`, `MQTT_PORT`, `HEALTH_HOST`, `HEALTH_PORT`; throws a ConfigurationError on garbage. */
export function readConfig(env: Environment): GatewayConfig {
  const healthPort = port(env, 'HEALTH_PORT');
  return {
    mqtt: {
      host: host(env, 'MQTT_HOST', '127.0.0.1'),
      port: port(env, 'MQTT_PORT') ?? defaultMqttPort,
      setting: 'MQTT_PORT',
    },
    health: {
      host: host(env, 'HEALTH_HOST', '127.0.0.1'),
      port: healthPort ?? defaultHealthPort,
      setting: 'HEALTH_PORT',
    },
    anyHealthPort: healthPort === undefined,
  };
}
