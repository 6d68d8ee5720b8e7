import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** The errors after which the dates of a certificate are checked with another clock. */
const dateErrors: ReadonlySet<unknown> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

/** The purpose that the certificate of a TLS server must allow if it limits them (RFC 5280, 4.2.1.12). */
const serverAuthentication = '1.3.6.1.5.5.7.3.1';

const longestChain = 8;

/** Whether a connection failed only because of the dates of a certificate. */
export function isDateError(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && dateErrors.has(cause.code);
}

/**
 * A TLS connection, for a unit whose clock is not set, to a server that is authenticated by everything but the dates:
 * signatures up to a trusted certificate, purpose and name are checked, and the handshake proves the key. Nothing has been
 * sent over it yet. All certificates must have been valid at the same time, and none may have expired before `floor`
 * (epoch ms), when this program was built. Throws an error that names the reason.
 */
export async function datelessSocket(
  connect: (checks: { readonly rejectUnauthorized: false }) => Socket,
  host: string,
  trusted: readonly string[],
  floor: number,
  signal: AbortSignal,
): Promise<Socket> {
  const { checkServerIdentity, TLSSocket: Tls } = await import('node:tls');
  const socket = connect({ rejectUnauthorized: false });
  if (!(socket instanceof Tls)) throw new Error('not a TLS connection');
  try {
    await once(socket, 'secureConnect', { signal });
    /* OpenSSL reports only the last problem that it found: everything that it checks before the dates is checked again. */
    if (!dateErrors.has(problemOf(socket))) throw new Error(`certificate: ${String(problemOf(socket))}`);
    const wrongName = checkServerIdentity(host, socket.getPeerCertificate());
    if (wrongName) throw wrongName;
    const leaf = socket.getPeerX509Certificate();
    if (leaf === undefined) throw new Error('the server shows no certificate');
    const purposes = leaf.keyUsage ?? [];
    if (purposes.length > 0 && !purposes.includes(serverAuthentication)) throw new Error('not for a server');
    const chain = await chainOf(leaf, trusted);
    const { from, until } = validityOf(chain);
    if (from > until || until < floor)
      throw new Error('the certificate expired before this program was built');
    validities.set(socket, { from, until });
    return socket;
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw error;
  }
}

/** When the certificates of connections that were opened here are valid. The socket does not keep them. */
const validities = new WeakMap<object, { readonly from: number; readonly until: number }>();

/** Whether the certificates of a connection are valid at `at` (epoch ms); true for a connection that was not opened here. */
export function isCertificateValidAt(stream: object, at: number): boolean {
  const { from = at, until = at } = validities.get(stream) ?? {};
  return at >= from && at <= until;
}

/** When this package was built (epoch ms), a lower bound of the present; 0 if the program is not installed as a package. */
export async function buildTime(file = '/usr/lib/clock-epoch'): Promise<number> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

function problemOf(socket: TLSSocket): unknown {
  const { authorizationError: error } = socket;
  return error instanceof Error && 'code' in error ? error.code : error;
}

/** The certificates from the server's to a trusted one. Throws when there is no such chain. */
async function chainOf(leaf: X509Certificate, trusted: readonly string[]): Promise<X509Certificate[]> {
  const { X509Certificate: Certificate } = await import('node:crypto');
  const anchors = trusted.flatMap(certificatesIn).map((pem) => new Certificate(pem));
  const chain = [leaf];
  for (let last = leaf; chain.length <= longestChain; ) {
    const known = last;
    if (anchors.some(({ fingerprint256 }) => fingerprint256 === known.fingerprint256)) return chain;
    const anchor = anchors.find((candidate) => isIssuer(candidate, known));
    if (anchor) return [...chain, anchor];
    const { issuerCertificate: next } = last;
    if (next === undefined || !isIssuer(next, last)) break;
    chain.push(next);
    last = next;
  }
  throw new Error('no trusted certificate vouches for that of the server');
}

function isIssuer(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function certificatesIn(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
}

/** The time in which all of them are valid (epoch ms). */
function validityOf(chain: readonly X509Certificate[]): { from: number; until: number } {
  return {
    from: Math.max(...chain.map(({ validFromDate }) => validFromDate.getTime())),
    until: Math.min(...chain.map(({ validToDate }) => validToDate.getTime())),
  };
}
