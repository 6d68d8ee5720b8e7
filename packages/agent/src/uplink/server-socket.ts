import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { codeOf } from '@visitor-counter/service/errors';

/** Opens a socket to a server. */
export type OpenSocket = () => Socket;

/**
 * The function that opens a socket to the server at `url`, `mqtt://` or `mqtts://`. If its certificate is not signed by
 * one in `ca` (PEM), or is for another name, the socket emits an error. TLS needs a quarter of a small unit's memory, so
 * it is only loaded for `mqtts://`.
 */
export async function socketTo(url: string, ca: string | undefined): Promise<OpenSocket> {
  if (new URL(url).protocol === 'mqtts:') {
    const { connect } = await import('node:tls');
    const options = await tlsOptions(url, ca);
    return () => connect(options).setNoDelay(true);
  }
  const { host, port } = addressOf(url);
  /* By default the system delays a small message until the previous one is acknowledged: here that is after its commit,
     or 40 ms later. */
  return () => connectTcp(port, host).setNoDelay(true);
}

async function tlsOptions(url: string, ca: string | undefined) {
  const address = addressOf(url);
  return {
    ...address,
    ca: ca === undefined ? [...(await trustedCertificates())] : [ca],
    /* A certificate that is listed in `ca` is trusted even if its issuer is not. */
    allowPartialTrustChain: ca !== undefined,
    ...serverName(address.host),
  };
}

/** The host and port in `mqtt://host:port` or `mqtts://host:port`. */
export function addressOf(url: string): { readonly host: string; readonly port: number } {
  const { protocol, hostname, port } = new URL(url);
  const defaultPort = protocol === 'mqtts:' ? 8883 : 1883;
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || defaultPort) };
}

/** The name that the certificate of a server must have; none for an IP address, which is not a name. */
export function serverName(host: string): { servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}

let systemTrusted: readonly string[] | undefined;

/** The certificates of Node, and those added to the system, for example with update-ca-certificates. */
export async function trustedCertificates(): Promise<readonly string[]> {
  const { getCACertificates } = await import('node:tls');
  systemTrusted ??= [...new Set([...getCACertificates('bundled'), ...getCACertificates('system')])];
  return systemTrusted;
}

/** The errors after which the dates of a certificate are checked with another clock. */
const dateErrors: ReadonlySet<unknown> = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

/** The purpose that the certificate of a TLS server must allow if it limits them (RFC 5280, 4.2.1.12). */
const serverAuthentication = '1.3.6.1.5.5.7.3.1';

const longestChain = 8;

/** Whether a connection failed only because of the dates of a certificate. */
export function isDateError(error: unknown): boolean {
  return error instanceof Error && dateErrors.has(codeOf(error.cause));
}

/**
 * Opens a TLS connection, for a unit whose clock is not set, to a server that is authenticated by everything but the
 * dates: signatures up to a trusted certificate, purpose and name are checked, and the handshake proves the key. Nothing
 * has been sent over it yet. All certificates must have been valid at the same time, and none may have expired before this
 * program was built. Rejects with an error that names the reason.
 */
export async function datelessSocketTo(
  url: string,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<OpenSocket> {
  const { checkServerIdentity, connect } = await import('node:tls');
  const options = await tlsOptions(url, ca);
  const socket = connect({ ...options, rejectUnauthorized: false }).setNoDelay(true);
  /* The server may end the connection during the checks, or before the caller uses it: that must not end the process. */
  socket.on('error', () => {});
  try {
    await once(socket, 'secureConnect', { signal });
    /* OpenSSL reports only the last problem that it found: everything that it checks before the dates is checked again. */
    const problem = codeOf(socket.authorizationError) ?? socket.authorizationError;
    if (!dateErrors.has(problem)) throw new Error(`certificate: ${String(problem)}`);
    const wrongName = checkServerIdentity(options.host, socket.getPeerCertificate());
    if (wrongName) throw wrongName;
    const leaf = socket.getPeerX509Certificate();
    if (leaf === undefined) throw new Error('the server shows no certificate');
    const purposes = leaf.keyUsage ?? [];
    if (purposes.length > 0 && !purposes.includes(serverAuthentication)) throw new Error('not for a server');
    const validity = validityOf(await chainOf(leaf, options.ca));
    if (validity.from > validity.until || validity.until < (await buildTime()))
      throw new Error('certificates: expired before this program was built, or never valid at the same time');
    if (socket.destroyed) throw new Error('the server closed the connection');
    validities.set(socket, validity);
    return () => socket;
  } catch (error) {
    const reason = socket.errored ?? signal.reason ?? error;
    socket.destroy();
    throw reason;
  }
}

/** When the certificates of the connections of `datelessSocketTo` are valid. */
const validities = new WeakMap<object, { readonly from: number; readonly until: number }>();

/** Whether the certificates of a connection are valid at `at` (epoch ms); true if it is not of `datelessSocketTo`. */
export function isCertificateValidAt(stream: object, at: number): boolean {
  const { from = at, until = at } = validities.get(stream) ?? {};
  return at >= from && at <= until;
}

/** When this package was built (epoch ms), a lower bound of the present; 0 if the program is not installed as a package. */
async function buildTime(): Promise<number> {
  return stat('/usr/lib/clock-epoch').then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
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
  throw new Error('no trusted certificate has signed the certificate of the server');
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
