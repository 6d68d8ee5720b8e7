import { createServer, type PeerCertificate, type Server, type TLSSocket } from 'node:tls';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { readCertificates, watchCertificates } from '@visitor-counter/service/certificates';
import type { Logger } from '@visitor-counter/service/logger';
import type { TlsConfig } from './read-tls.ts';

export interface TlsServerOptions {
  readonly tls: TlsConfig;
  /** How long a handshake may take (ms). */
  readonly handshakeTimeout: number;
  /** Polling interval for changed certificates (ms). */
  readonly reloadInterval: number;
  readonly log: Logger;
  /** Called after the handshake, with the names in the client's certificate if it has one. */
  readonly onConnection: (socket: TLSSocket, certified: string[] | undefined) => void;
}

/**
 * Creates a TLS server that does not listen yet. It closes the connection of a client whose certificate is not signed
 * by a trusted one, or that has none where one is required.
 * Throws ConfigurationError.
 */
export async function createTlsServer(options: TlsServerOptions): Promise<Server> {
  const { tls, handshakeTimeout, reloadInterval, log, onConnection } = options;
  const bounded = new BoundedLog(log);
  const current = await readCertificates(tls);
  const requestCert = tls.clientCaFile !== undefined;
  const socketOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 };
  /* Only after the handshake is it known whether the client has a certificate at all. */
  const clients = { requestCert, rejectUnauthorized: false };
  const server = createServer({ ...current, ...clients, ...socketOptions, handshakeTimeout });
  server.on('secureConnection', (socket) => {
    const certified = certifiedNames(socket.getPeerCertificate());
    const isAccepted = certified === undefined ? tls.clientCert === 'optional' : socket.authorized;
    if (isAccepted) return onConnection(socket, certified);
    bounded.write('info', { address: socket.remoteAddress, reason: reasonOf(socket) }, 'certificate refused');
    return socket.destroy();
  });
  server.on('tlsClientError', (error, socket) => {
    log.debug({ err: error }, 'TLS handshake failed');
    /* Node reports a handshake that takes too long, but leaves the connection open. */
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

/** The names a client's certificate is for: its common name and its DNS names; undefined without a certificate. */
function certifiedNames({
  subject,
  subjectaltname = '',
}: Partial<Pick<PeerCertificate, 'subject' | 'subjectaltname'>>): string[] | undefined {
  if (subject === undefined) return undefined;
  const dnsNames = subjectaltname.split(', ').flatMap((name) => /^DNS:(.+)$/.exec(name)?.[1] ?? []);
  return [subject.CN ?? [], dnsNames].flat();
}
