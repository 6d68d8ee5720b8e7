import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { fingerprintText } from '@visitor-counter/domain/enrolment-code';
import { keyHash } from '@visitor-counter/service/certificates';
import { serverName, trustedCertificates } from '../uplink/server-socket.ts';
import { EnrolmentRefused, type ServerAddress, unavailable } from './enrolment-server.ts';

/** How long a handshake may take (ms). */
const handshakeWithin = 15_000;

/**
 * The certificate in a server's chain whose key has a fingerprint, for connections that are verified by it. Nothing is
 * sent on this one. Throws EnrolmentRefused if there is none, ServerUnavailable.
 */
export async function findAnchor(server: ServerAddress, fingerprint: string): Promise<X509Certificate> {
  const chain = await chainOf(server);
  const anchor = chain.find((certificate) => fingerprintText(keyHash(certificate)) === fingerprint);
  if (anchor) return anchor;
  const subjects = chain.map(({ subject }) => subject.replaceAll('\n', ', ')).join(' < ');
  throw new EnrolmentRefused(
    'other-server',
    `${server.host}:${server.port} is not the server that this code is for, so nothing was sent. It shows: ${subjects}. \
If it is the right one, its file of certificates lacks the CA.`,
  );
}

async function chainOf({ host, port }: ServerAddress): Promise<X509Certificate[]> {
  const ca = [...(await trustedCertificates())];
  const socket = connect({ host, port, ...serverName(host), ca, rejectUnauthorized: false });
  /* An error that comes after the certificates must not end the process. */
  socket.on('error', () => {});
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(handshakeWithin) });
    return certificatesOf(socket);
  } catch (cause) {
    throw unavailable(`no TLS connection to ${host}:${port}`, cause);
  } finally {
    socket.destroy();
  }
}

/** From the server's own upwards, with the trusted root where the system has it. */
function certificatesOf(socket: TLSSocket): X509Certificate[] {
  const chain = new Map<string, X509Certificate>();
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (next?.raw && !chain.has(next.fingerprint256)) {
    chain.set(next.fingerprint256, new X509Certificate(next.raw));
    next = next.issuerCertificate;
  }
  return [...chain.values()];
}
