import { ConfigurationError } from '../settings/configuration-error.ts';

/** The files of a server's certificate, and whom it trusts. */
export interface CertificateFiles {
  /** What the settings that name them begin with, such as `MQTT_TLS`. */
  readonly settings: string;
  /** The certificate and those between it and its root, PEM. */
  readonly certFile: string;
  readonly keyFile: string;
  /** Certificates that sign those of clients, PEM; clients show none when it is left out. */
  readonly clientCaFile?: string | undefined;
}

/** The files of a pair of settings; undefined where neither is set. Throws a ConfigurationError when one is missing. */
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
