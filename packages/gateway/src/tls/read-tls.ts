import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { type Environment, oneOf, text } from '@visitor-counter/service/environment';

/** The files of the server's certificate, and whom it trusts. */
export interface TlsConfig {
  /** The certificate and those between it and its root, PEM. */
  readonly certFile: string;
  readonly keyFile: string;
  /** Certificates that sign those of clients, PEM; clients show none when it is left out. */
  readonly clientCaFile: string | undefined;
  /** Whether a client without a certificate is let in. */
  readonly clientCert: 'optional' | 'required';
}

/**
 * Reads `MQTT_TLS_CERT`, `MQTT_TLS_KEY`, `MQTT_TLS_CLIENT_CA`, `MQTT_TLS_CLIENT_CERT`; undefined where no TLS
 * is asked for. Throws a ConfigurationError when a part is missing.
 */
export function readTls(env: Environment): TlsConfig | undefined {
  const certFile = text(env, 'MQTT_TLS_CERT');
  const keyFile = text(env, 'MQTT_TLS_KEY');
  const clientCaFile = text(env, 'MQTT_TLS_CLIENT_CA');
  const clientCert = oneOf(env, 'MQTT_TLS_CLIENT_CERT', ['optional', 'required'], 'optional');
  if (certFile !== undefined && keyFile !== undefined) {
    if (clientCert === 'required' && clientCaFile === undefined) throw missing('MQTT_TLS_CLIENT_CA');
    return { certFile, keyFile, clientCaFile, clientCert };
  }
  if (certFile !== undefined) throw missing('MQTT_TLS_KEY');
  if (keyFile !== undefined || clientCaFile !== undefined) throw missing('MQTT_TLS_CERT');
  return undefined;
}

function missing(setting: string): ConfigurationError {
  return new ConfigurationError(setting, undefined, 'a PEM file, as the other settings of TLS ask for it');
}
