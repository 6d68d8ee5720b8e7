import { ConfigurationError } from '../settings/configuration-error.ts';

/** The files of a server's certificate and of the authorities that it trusts. */
export interface CertificateFiles {
  /** The prefix of the settings that name the files, such as `MQTT_TLS`. */
  readonly settings: string;
  /** The certificate and its intermediates, PEM. */
  readonly certFile: string;
  readonly keyFile: string;
  /** The authorities of client certificates, PEM; when left out, clients are not asked for a certificate. */
  readonly clientCaFile?: string | undefined;
}

/**
 * The files of a pair of settings; undefined if neither is set. Throws a ConfigurationError when one is
 * missing.
 */
export function certificateFiles(
  settings: string,
  certFile: string | undefined,
  keyFile: string | undefined,
): CertificateFiles | undefined {
  if (certFile !== undefined && keyFile !== undefined) return { settings, certFile, keyFile };
  if (certFile !== undefined) throw missingFile(`${settings}_KEY`);
  if (keyFile !== undefined) throw missingFile(`${settings}_CERT`);
  return undefined;
}

export function missingFile(setting: string): ConfigurationError {
  return new ConfigurationError(setting, undefined, 'a PEM file, which the other TLS settings require');
}
