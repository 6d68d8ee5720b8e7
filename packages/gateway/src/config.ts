import { type Environment, host, port } from '@visitor-counter/service/environment';
import type { Address } from '@visitor-counter/service/listen';

/** Where the gateway listens; which database it uses is found by `findDatabase`. */
export interface GatewayConfig {
  readonly mqtt: Address;
  readonly health: Address;
  /** True when the port of the health check is the default one: another will do when it is taken. */
  readonly anyHealthPort: boolean;
  readonly metrics: Address;
  /** The same of the port of the metrics. */
  readonly anyMetricsPort: boolean;
}

const defaultMqttPort = 1883;
const defaultHealthPort = 9464;
const defaultMetricsPort = 9465;

/** Reads host and port of `MQTT`, `HEALTH` and `METRICS`; throws a ConfigurationError on garbage. */
export function readConfig(env: Environment): GatewayConfig {
  const healthPort = port(env, 'HEALTH_PORT');
  const metricsPort = port(env, 'METRICS_PORT');
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
    metrics: {
      host: host(env, 'METRICS_HOST', '127.0.0.1'),
      port: metricsPort ?? defaultMetricsPort,
      setting: 'METRICS_PORT',
    },
    anyMetricsPort: metricsPort === undefined,
  };
}
