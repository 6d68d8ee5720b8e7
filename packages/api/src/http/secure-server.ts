import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Logger } from '@visitor-counter/service/logger';
import type { CertificateFiles } from '@visitor-counter/service/tls/certificate-files';
import { watchCertificates } from '@visitor-counter/service/tls/certificate-watch';
import { readCertificates } from '@visitor-counter/service/tls/certificates';
import type { Timeouts } from './timeouts.ts';

export interface SecureServerOptions {
  readonly files: CertificateFiles;
  /** How often the certificates are looked at (ms). */
  readonly reloadInterval: number;
  readonly timeouts: Timeouts;
  readonly log: Logger;
}

/** What makes servers that speak TLS, and take up new certificates. Throws ConfigurationError. */
export async function secureServers({
  files,
  reloadInterval: interval,
  timeouts: { headers, request, stalled },
  log,
}: SecureServerOptions): Promise<(handler: RequestListener) => Server> {
  const current = await readCertificates(files);
  return (handler) => {
    const limits = { handshakeTimeout: headers, headersTimeout: headers, requestTimeout: request };
    const checks = { connectionsCheckingInterval: Math.ceil(headers / 10), requireHostHeader: false };
    const server = createServer({ ...current, ...limits, ...checks }, handler);
    server.setTimeout(stalled);
    /* Of a handshake that takes too long Node only tells; an answer would wait for its end. */
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    server.once('listening', () => {
      server.once('close', watchCertificates({ server, files, current, interval, log }));
    });
    return server;
  };
}
