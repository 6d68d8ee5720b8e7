import { type Environment, oneOf, text } from '@visitor-counter/service/environment';
import {
  type CertificateFiles,
  missingFile,
  readCertificateFiles,
} from '@visitor-counter/service/tls/certificate-files';

export interface TlsConfig extends CertificateFiles {
  /** Whether a client without a certificate is let in. */
  readonly clientCert: 'optional' | 'required';
}

/**
 * Reads `MQTT_TLS_CERT`, `MQTT_TLS_KEY`, `MQTT_TLS_CLIENT_CA`, `MQTT_TLS_CLIENT_CERT`; undefined where no TLS
 * is asked for. Throws a ConfigurationError when a part is missing.
 */
export function readTls(env: Environment): TlsConfig | undefined {
  const files = readCertificateFiles(env, 'MQTT_TLS');
  const clientCaFile = text(env, 'MQTT_TLS_CLIENT_CA');
  const clientCert = oneOf(env, 'MQTT_TLS_CLIENT_CERT', ['optional', 'required'], 'optional');
  if (files === undefined) {
    if (clientCaFile !== undefined) throw missingFile('MQTT_TLS_CERT');
    return undefined;
  }
  if (clientCert === 'required' && clientCaFile === undefined) throw missingFile('MQTT_TLS_CLIENT_CA');
  return { ...files, clientCaFile, clientCert };
}
