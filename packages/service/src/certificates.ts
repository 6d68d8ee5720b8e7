import { createHash, X509Certificate } from 'node:crypto';
import { createSecureContext, type Server } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import { reasonOf } from './errors.ts';
import { readNamedFile } from './files.ts';
import type { Logger } from './logger.ts';
import { addGauge, type Metrics } from './metrics.ts';
import { ConfigurationError } from './settings/configuration-error.ts';

/** The contents of the files, as the functions of `node:tls` accept them. */
export interface Certificates {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly minVersion: 'TLSv1.2';
}

/** Reads the files of a configuration. Throws ConfigurationError naming the one that cannot be used. */
export async function readCertificates(files: CertificateFiles): Promise<Certificates> {
  const { settings, certFile, keyFile } = files;
  const cert = await readNamedFile(`${settings}_CERT`, certFile);
  const key = await readNamedFile(`${settings}_KEY`, keyFile);
  const options: Certificates = { cert, key, minVersion: 'TLSv1.2' };
  try {
    createSecureContext(options);
  } catch (error) {
    const reason = reasonOf(error);
    const expected = `a certificate and its key in PEM (${reason})`;
    throw new ConfigurationError(`${settings}_CERT`, certFile, expected);
  }
  return options;
}

/** The files of a server's certificate. */
export interface CertificateFiles {
  /** The prefix of the settings that name the files, such as `MQTT_TLS`. */
  readonly settings: string;
  /** The certificate and its intermediates, PEM. */
  readonly certFile: string;
  readonly keyFile: string;
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

function missingFile(setting: string): ConfigurationError {
  return new ConfigurationError(setting, undefined, 'a PEM file, which the other TLS settings require');
}

/** The whole certificates in a PEM text. Throws if one cannot be read. */
export function certificatesIn(pem: string): X509Certificate[] {
  const whole = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return whole.map((one) => new X509Certificate(one));
}

/** The instant (Unix time, s) at which the first of a server's certificates expires, its intermediates included. */
function expiryOf({ cert }: Certificates): number {
  return Math.min(...certificatesIn(String(cert)).map(({ validToDate }) => validToDate.getTime() / 1_000));
}

/**
 * Adds a gauge of the instant at which the certificates of a server expire; it has no sample without TLS. Returns the
 * function for `onUse` of `keepTls`.
 */
export function addExpiryGauge(registry: Metrics, name: string): TlsOptions['onUse'] {
  let expires: number | undefined;
  const help = 'When the first of the certificates in use expires (Unix time).';
  addGauge(registry, name, help, () => expires);
  return (at) => {
    expires = at;
  };
}

/**
 * Reads certificates of authorities, PEM. Throws a ConfigurationError naming the setting unless each can be
 * used: OpenSSL skips certificates that it cannot read, and would then trust fewer authorities, or none.
 */
export async function readAuthorities(setting: string, file: string): Promise<Buffer> {
  const pem = await readNamedFile(setting, file);
  const reason = faultOf(pem.toString('latin1'));
  if (reason === undefined) return pem;
  throw new ConfigurationError(setting, file, `one or more certificates in PEM (${reason})`);
}

/** Why the content of the file cannot be used; undefined if it can. */
function faultOf(text: string): string | undefined {
  const begun = text.split('-----BEGIN CERTIFICATE-----').length - 1;
  if (begun === 0) return 'there is none';
  try {
    if (certificatesIn(text).length === begun) return undefined;
  } catch {
    /* As for one that is not whole. */
  }
  return 'one cannot be read';
}

interface TlsOptions {
  readonly server: Server;
  readonly files: CertificateFiles;
  /** The certificates that the server uses now. */
  readonly current: Certificates;
  /** How often the files are read (ms). */
  readonly interval: number;
  readonly log: Logger;
  /** Called with the instant (Unix time, s) at which the certificates in use expire, now and after each change. */
  readonly onUse: (expires: number) => void;
}

/**
 * Applies the certificates of the files to new connections whenever the files have changed, while the server listens, and
 * closes connections whose handshake fails. Files that do not match, as during a replacement, have no effect. The files are
 * polled rather than watched: renewals replace links and folders, which watchers do not follow.
 */
export function keepTls({ server, files, current, interval, log, onUse }: TlsOptions): void {
  let used = current;
  let reported = '';
  const reload = async () => {
    const found = await readCertificates(files);
    reported = '';
    if (isDeepStrictEqual(found, used)) return;
    server.setSecureContext(found);
    used = found;
    onUse(expiryOf(used));
    log.info('certificates reloaded');
  };
  const poll = () => {
    reload().catch((error: unknown) => {
      const reason = String(error);
      if (reason !== reported) log.error({ reason }, 'certificates not reloaded');
      reported = reason;
    });
  };
  server.once('listening', () => {
    onUse(expiryOf(used));
    const timer = setInterval(poll, interval);
    server.once('close', () => clearInterval(timer));
  });
  /* Node reports a handshake that takes too long, but leaves the connection open. */
  server.on('tlsClientError', (_error, socket) => socket.destroy());
}

/**
 * SHA-256 of a certificate's public key (its SubjectPublicKeyInfo, DER, as RFC 7469 pins keys): stays the same when
 * the certificate is renewed with its key.
 */
export function keyHash({ publicKey }: X509Certificate): Buffer {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
}
