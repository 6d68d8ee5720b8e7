import { type CertificateFiles, certificateFiles, missingFile } from '@visitor-counter/service/certificates';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { oneOf, pemFile } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings } from '@visitor-counter/service/settings/setting';

export interface TlsConfig extends CertificateFiles {
  /** Whether a client without a certificate may connect. */
  readonly clientCert: 'optional' | 'required';
}

export const tlsSettings = {
  MQTT_TLS_CERT: {
    kind: pemFile,
    does: 'The certificate of the gateway and those between it and its root. The files are read again when they change. See [TLS](operators.md#tls).',
  },
  MQTT_TLS_KEY: { kind: pemFile, does: 'The key of that certificate.' },
  MQTT_TLS_CLIENT_CA: { kind: pemFile, does: 'The CA that signs the certificates of units.' },
  MQTT_TLS_CLIENT_CERT: {
    kind: oneOf('optional', 'required'),
    default: 'optional',
    does: 'Whether a unit must have a certificate to connect.',
  },
} satisfies Settings;

/** Undefined where no TLS is configured. Throws a ConfigurationError when a part is missing. */
export function readTls(env: Environment): TlsConfig | undefined {
  const settings = readSettings(tlsSettings, env);
  const files = certificateFiles('MQTT_TLS', settings.MQTT_TLS_CERT, settings.MQTT_TLS_KEY);
  const clientCaFile = settings.MQTT_TLS_CLIENT_CA;
  const clientCert = settings.MQTT_TLS_CLIENT_CERT;
  if (files === undefined) {
    if (clientCaFile !== undefined) throw missingFile('MQTT_TLS_CERT');
    return undefined;
  }
  if (clientCert === 'required' && clientCaFile === undefined) throw missingFile('MQTT_TLS_CLIENT_CA');
  return { ...files, clientCaFile, clientCert };
}
