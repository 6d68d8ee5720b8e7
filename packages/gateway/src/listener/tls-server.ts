import type { ServerOpts } from 'node:net';
import { createServer, type PeerCertificate, type Server, type TLSSocket } from 'node:tls';
import {
  type CertificateFiles,
  certificateFiles,
  missingFile,
  readCertificates,
  watchCertificates,
} from '@visitor-counter/service/certificates';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { oneOf, pemFile } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings } from '@visitor-counter/service/settings/setting';
import type { GatewayParts } from '../gateway-parts.ts';

/**
 * Creates a TLS server that does not listen yet. It closes the connection of a client whose certificate is not signed by
 * a trusted one, or that has none although one is required. `tcp`: options of the sockets. `onConnection` is called after the
 * handshake, with the names in the client's certificate if it has one. Throws ConfigurationError.
 */
export async function createTlsServer(
  tls: TlsConfig,
  tcp: ServerOpts,
  { limits, instruments, log, ownLog }: GatewayParts,
  onConnection: (socket: TLSSocket, certificateNames: string[] | undefined) => void,
): Promise<Server> {
  const current = await readCertificates(tls);
  const requestCert = tls.clientCaFile !== undefined;
  /* Only after the handshake is it known whether the client has a certificate at all. */
  const clients = { requestCert, rejectUnauthorized: false };
  const server = createServer({ ...current, ...clients, ...tcp, handshakeTimeout: limits.loginWithin });
  server.on('secureConnection', (socket) => {
    const certificateNames = namesInCertificate(socket.getPeerCertificate());
    const isAccepted = certificateNames === undefined ? tls.clientCert === 'optional' : socket.authorized;
    if (isAccepted) return onConnection(socket, certificateNames);
    log.write('info', { address: socket.remoteAddress, reason: reasonOf(socket) }, 'certificate refused');
    return socket.destroy();
  });
  server.on('tlsClientError', (error, socket) => {
    ownLog.debug({ err: error }, 'TLS handshake failed');
    /* Node reports a handshake that takes too long, but leaves the connection open. */
    socket.destroy();
  });
  server.once('listening', () => {
    const onUse = instruments.access.certificatesUsed;
    const watched = { server, files: tls, current, interval: limits.reloadInterval, log: ownLog, onUse };
    server.once('close', watchCertificates(watched));
  });
  return server;
}

function reasonOf({ authorizationError }: TLSSocket): string {
  return String(authorizationError ?? 'no certificate');
}

/** The names a client's certificate is for: its common name and its DNS names; undefined without a certificate. */
function namesInCertificate({
  subject,
  subjectaltname = '',
}: Partial<Pick<PeerCertificate, 'subject' | 'subjectaltname'>>): string[] | undefined {
  if (subject === undefined) return undefined;
  const dnsNames = subjectaltname.split(', ').flatMap((name) => /^DNS:(.+)$/.exec(name)?.[1] ?? []);
  return [subject.CN ?? [], dnsNames].flat();
}

export interface TlsConfig extends CertificateFiles {
  /** Whether a client without a certificate may connect. */
  readonly clientCert: 'optional' | 'required';
}

export const tlsSettings = {
  MQTT_TLS_CERT: {
    kind: pemFile,
    does: 'The certificate of the gateway and those between it and its root. The files are read again when they change. See [TLS](operators.md#tls).',
  },
  MQTT_TLS_KEY: { kind: pemFile, does: 'The key of that certificate.' },
  MQTT_TLS_CLIENT_CA: { kind: pemFile, does: 'The CA that signs the certificates of units.' },
  MQTT_TLS_CLIENT_CERT: {
    kind: oneOf('optional', 'required'),
    default: 'optional',
    does: 'Whether a unit must have a certificate to connect.',
  },
} satisfies Settings;

/** Undefined where no TLS is configured. Throws a ConfigurationError when a part is missing. */
export function readTls(env: Environment): TlsConfig | undefined {
  const settings = readSettings(tlsSettings, env);
  const files = certificateFiles('MQTT_TLS', settings.MQTT_TLS_CERT, settings.MQTT_TLS_KEY);
  const clientCaFile = settings.MQTT_TLS_CLIENT_CA;
  const clientCert = settings.MQTT_TLS_CLIENT_CERT;
  if (files === undefined) {
    if (clientCaFile !== undefined) throw missingFile('MQTT_TLS_CERT');
    return undefined;
  }
  if (clientCert === 'required' && clientCaFile === undefined) throw missingFile('MQTT_TLS_CLIENT_CA');
  return { ...files, clientCaFile, clientCert };
}
