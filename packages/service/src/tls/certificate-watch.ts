import type { SecureContextOptions, Server } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '../logger.ts';
import type { CertificateFiles } from './certificate-files.ts';
import { readCertificates } from './certificates.ts';

export interface CertificateWatchOptions {
  readonly server: Server;
  readonly files: CertificateFiles;
  /** The certificates that the server uses now. */
  readonly current: SecureContextOptions;
  /** How often the files are read (ms). */
  readonly interval: number;
  readonly log: Logger;
}

/**
 * Applies the certificates of the files to new connections whenever the files have changed; returns a
 * function that stops this. Files that do not match, as during a replacement, have no effect. The files are
 * polled rather than watched: renewals replace links and folders, which watchers do not follow.
 */
export function watchCertificates({
  server,
  files,
  current,
  interval,
  log,
}: CertificateWatchOptions): () => void {
  let used = current;
  let complaint = '';
  const look = async () => {
    const found = await readCertificates(files);
    complaint = '';
    if (isDeepStrictEqual(found, used)) return;
    server.setSecureContext(found);
    used = found;
    log.info('certificates reloaded');
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => {
      const reason = String(error);
      if (reason !== complaint) log.error({ reason }, 'certificates not reloaded');
      complaint = reason;
    });
  }, interval);
  return () => clearInterval(timer);
}
