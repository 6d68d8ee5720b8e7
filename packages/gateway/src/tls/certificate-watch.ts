import type { SecureContextOptions, Server } from 'node:tls';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '@visitor-counter/service/logger';
import { readCertificates } from './certificates.ts';
import type { TlsConfig } from './read-tls.ts';

export interface CertificateWatchOptions {
  readonly server: Server;
  readonly tls: TlsConfig;
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
  tls,
  current,
  interval,
  log,
}: CertificateWatchOptions): () => void {
  let used = current;
  let complaint = '';
  const look = async () => {
    const found = await readCertificates(tls);
    complaint = '';
    if (isDeepStrictEqual(found, used)) return;
    server.setSecureContext(found);
    used = found;
    log.info('new certificates are in use');
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => {
      const reason = String(error);
      if (reason !== complaint) log.error({ reason }, 'the certificates stay as they were');
      complaint = reason;
    });
  }, interval);
  return () => clearInterval(timer);
}
