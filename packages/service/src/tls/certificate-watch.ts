import type { SecureContextOptions, Server } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '../logger.ts';
import type { CertificateFiles } from './certificate-files.ts';
import { readCertificates } from './certificates.ts';

export interface CertificateWatchOptions {
  readonly server: Server;
  readonly files: CertificateFiles;
  /** What the server has now. */
  readonly current: SecureContextOptions;
  /** How often the files are read (ms). */
  readonly interval: number;
  readonly log: Logger;
}

/**
 * Gives new connections the certificates of the files whenever these have changed; returns what ends it.
 * Files that do not fit together, as while they are being replaced, change nothing. They are read rather than
 * watched: renewals replace links and folders, of which watchers lose track.
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
