import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { CertificateFiles } from '@visitor-counter/service/certificates';
import { readCertificates, watchCertificates } from '@visitor-counter/service/certificates';
import type { Logger } from '@visitor-counter/service/logger';
import type { Timeouts } from './timeouts.ts';

export interface SecureServerOptions {
  readonly files: CertificateFiles;
  /** Polling interval for changes of the certificates (ms). */
  readonly reloadInterval: number;
  readonly timeouts: Timeouts;
  readonly log: Logger;
}

/** Returns a factory of HTTPS servers that load new certificates while they run. Throws ConfigurationError. */
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
    /* Node only reports a handshake that takes too long, and keeps its socket open. */
    server.on('tlsClientError', (_error, socket) => socket.destroy());
    server.once('listening', () => {
      server.once('close', watchCertificates({ server, files, current, interval, log }));
    });
    return server;
  };
}
