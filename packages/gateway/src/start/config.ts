import { isIPv4 } from 'node:net';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { type Environment, host, oneOf, port } from '@visitor-counter/service/environment';
import type { Address } from '@visitor-counter/service/listen';
import { type ExternalConfig, readExternalConfig } from '../external/external-config.ts';
import { type IngestLimits, readIngestLimits } from '../ingest/read-ingest-limits.ts';
import { type DefenceLimits, readLimits } from '../listener/listener-limits.ts';
import { readTls, type TlsConfig } from '../listener/read-tls.ts';

/** Where the gateway listens and what it takes; which database it uses is found by `findDatabase`. */
export interface GatewayConfig {
  /** Without encryption; undefined where only TLS is spoken. */
  readonly plain: Address | undefined;
  readonly secure: (Address & TlsConfig) | undefined;
  readonly defence: DefenceLimits;
  readonly ingest: IngestLimits;
  /** Set when the units' broker is another one, whose consumer the gateway is. */
  readonly external: ExternalConfig | undefined;
  readonly health: Address;
  /** True when the port of the health check is the default one: another will do when it is taken. */
  readonly anyHealthPort: boolean;
  readonly metrics: Address;
  /** The same of the port of the metrics. */
  readonly anyMetricsPort: boolean;
}

const defaultMqttPort = 1883;
const defaultMqttsPort = 8883;
const defaultHealthPort = 9464;
const defaultMetricsPort = 9465;

/** Reads the settings; throws a ConfigurationError on garbage. */
export function readConfig(env: Environment): GatewayConfig {
  const healthPort = port(env, 'HEALTH_PORT');
  const metricsPort = port(env, 'METRICS_PORT');
  const external = readExternalConfig(env);
  /* A consumer of another broker opens no port to units. */
  const secure = external ? undefined : readSecure(env);
  return {
    plain: external ? undefined : readPlain(env, secure !== undefined),
    secure,
    defence: readLimits(env),
    ingest: readIngestLimits(env),
    external,
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

function readSecure(env: Environment): GatewayConfig['secure'] {
  const tls = readTls(env);
  return tls && { ...tls, ...mqttAddress(env, 'MQTTS_PORT', defaultMqttsPort) };
}

/**
 * Secrets go over the wire as they are: without TLS they may do so only on the loopback address, or where
 * the operator says so.
 */
function readPlain(env: Environment, isSecure: boolean): Address | undefined {
  const allowed = oneOf(env, 'MQTT_ALLOW_PLAINTEXT', ['true', 'false', 'loopback'], 'false');
  const address = mqttAddress(env, 'MQTT_PORT', defaultMqttPort);
  if (allowed === 'true') return address;
  if (isSecure) return allowed === 'loopback' ? { ...address, host: '127.0.0.1' } : undefined;
  if (isLoopback(address.host)) return address;
  throw new ConfigurationError(
    'MQTT_HOST',
    address.host,
    'a loopback address, or TLS (MQTT_TLS_CERT and MQTT_TLS_KEY), or MQTT_ALLOW_PLAINTEXT=true',
  );
}

function mqttAddress(env: Environment, setting: string, fallback: number): Address {
  return { host: host(env, 'MQTT_HOST', '127.0.0.1'), port: port(env, setting) ?? fallback, setting };
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIPv4(name) && name.startsWith('127.'));
}
