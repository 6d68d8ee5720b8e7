import { createServer, type Server, type TLSSocket } from 'node:tls';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { watchCertificates } from '@visitor-counter/service/tls/certificate-watch';
import { readCertificates } from '@visitor-counter/service/tls/certificates';
import { certifiedNames } from './certified-names.ts';
import type { TlsConfig } from './read-tls.ts';

export interface TlsServerOptions {
  readonly tls: TlsConfig;
  /** How long a handshake may take (ms). */
  readonly handshakeTimeout: number;
  /** How often the certificates are looked at (ms). */
  readonly reloadInterval: number;
  readonly log: Logger;
  /** Takes a connection whose handshake is done, with the names in its certificate if it showed one. */
  readonly onConnection: (socket: TLSSocket, certified: string[] | undefined) => void;
}

/**
 * A server with TLS that does not listen yet. It ends the connection of a client whose certificate no
 * trusted one has signed, and that of one without a certificate where one is required.
 * Throws ConfigurationError.
 */
export async function createTlsServer(options: TlsServerOptions): Promise<Server> {
  const { tls, handshakeTimeout, reloadInterval, log, onConnection } = options;
  const bounded = new BoundedLog(log);
  const current = await readCertificates(tls);
  const requestCert = tls.clientCaFile !== undefined;
  const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 };
  /* Whether a certificate was shown at all is known only after the handshake. */
  const clients = { requestCert, rejectUnauthorized: false };
  const server = createServer({ ...current, ...clients, ...socketOptions, handshakeTimeout });
  server.on('secureConnection', (socket) => {
    const certified = certifiedNames(socket.getPeerCertificate());
    const fit = certified === undefined ? tls.clientCert === 'optional' : socket.authorized;
    if (fit) return onConnection(socket, certified);
    bounded.write('info', { address: socket.remoteAddress, reason: reasonOf(socket) }, 'certificate refused');
    return socket.destroy();
  });
  server.on('tlsClientError', (error, socket) => {
    log.debug({ err: error }, 'no TLS');
    /* Of a handshake that takes too long Node only tells, and leaves the connection open. */
    socket.destroy();
  });
  server.once('listening', () => {
    server.once('close', watchCertificates({ server, files: tls, current, interval: reloadInterval, log }));
  });
  return server;
}

function reasonOf({ authorizationError }: TLSSocket): string {
  return String(authorizationError ?? 'no certificate');
}
