import type { DemoConfig } from './demo-config.ts';

/** The ports to use. */
export interface DemoPorts {
  readonly mqtt: number;
  /** Only with TLS. */
  readonly mqtts: number | undefined;
  readonly http: number;
}

/** The addresses at which the demonstration's services listen, and the settings for that. */
export interface DemoAddresses {
  /** Without encryption; if external units connect with TLS, only the demonstration's own units use it. */
  readonly mqttUrl: string;
  readonly mqttsUrl: string | undefined;
  /** The URL of the page for stores. */
  readonly pageUrl: string;
  readonly serviceUrl: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The demonstration's own units speak without encryption, which in addition to TLS is available only on the loopback address. */
export function demoAddresses(config: DemoConfig, { mqtt, mqtts, http }: DemoPorts): DemoAddresses {
  const pageUrl = `${urlOf(config.httpTls ? 'https' : 'http', reachable(config.httpHost), http)}/`;
  return {
    mqttUrl: urlOf('mqtt', plainMqttHost(config), mqtt),
    mqttsUrl: mqtts === undefined ? undefined : urlOf('mqtts', config.mqttHost, mqtts),
    pageUrl,
    serviceUrl: `${pageUrl}${config.apiPathId}/Service.asmx`,
    env: {
      MQTT_HOST: config.mqttHost,
      MQTT_PORT: String(mqtt),
      ...(mqtts === undefined ? {} : { MQTTS_PORT: String(mqtts) }),
      ...(mqtts === undefined || config.plainEverywhere ? {} : { MQTT_ALLOW_PLAINTEXT: 'loopback' }),
      HTTP_HOST: config.httpHost,
      HTTP_PORT: String(http),
      API_PATH_ID: config.apiPathId,
    },
  };
}

/** The host on which the gateway listens without encryption. */
export function plainMqttHost({ mqttTls, plainEverywhere, mqttHost }: DemoConfig): string {
  return mqttTls && !plainEverywhere ? '127.0.0.1' : mqttHost;
}

/** A host that listens on all addresses of this machine is reached at the loopback one, which certificates can name. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

function urlOf(scheme: string, host: string, port: number): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
