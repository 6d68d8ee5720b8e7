import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { ConfigurationError } from '../settings/configuration-error.ts';
import { readAuthorities } from './authorities.ts';
import type { CertificateFiles } from './certificate-files.ts';

/** Reads the files of a configuration. Throws ConfigurationError naming the one that cannot be used. */
export async function readCertificates(files: CertificateFiles): Promise<SecureContextOptions> {
  const { settings, certFile, keyFile, clientCaFile } = files;
  const cert = await read(`${settings}_CERT`, certFile);
  const key = await read(`${settings}_KEY`, keyFile);
  const ca =
    clientCaFile === undefined ? {} : { ca: await readAuthorities(`${settings}_CLIENT_CA`, clientCaFile) };
  const options: SecureContextOptions = { cert, key, ...ca, minVersion: 'TLSv1.2' };
  try {
    createSecureContext(options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const expected = `a certificate and its key in PEM (${reason})`;
    throw new ConfigurationError(`${settings}_CERT`, certFile, expected);
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
