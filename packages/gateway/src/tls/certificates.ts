import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import type { TlsConfig } from './read-tls.ts';

/** Reads the files of a configuration. Throws ConfigurationError naming the one that cannot be used. */
export async function readCertificates(tls: TlsConfig): Promise<SecureContextOptions> {
  const cert = await read('MQTT_TLS_CERT', tls.certFile);
  const key = await read('MQTT_TLS_KEY', tls.keyFile);
  const ca = tls.clientCaFile === undefined ? {} : { ca: await read('MQTT_TLS_CLIENT_CA', tls.clientCaFile) };
  const options: SecureContextOptions = { cert, key, ...ca, minVersion: 'TLSv1.2' };
  try {
    createSecureContext(options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigurationError(
      'MQTT_TLS_CERT',
      tls.certFile,
      `a certificate and its key in PEM (${reason})`,
    );
  }
  return options;
}

async function read(setting: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch {
    throw new ConfigurationError(setting, file, 'a file that can be read');
  }
}
