import { execFile } from 'node:child_process';
import type { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from '@visitor-counter/service/errors';

const run = promisify(execFile);

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

/** Whether a connection failed only because of the dates of a certificate. */
export function isDateError(error: unknown): boolean {
  return error instanceof Error && dateErrors.has(codeOf(error.cause));
}

/**
 * Opens a TLS connection, for a unit whose clock is not set, to a server whose certificates were valid at some time that is
 * not before the build of this program: OpenSSL verifies them at that time, and the handshake proves the key. Nothing has
 * been sent over the connection yet. Rejects with an error that names the reason.
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
    const wrongName = checkServerIdentity(options.host, socket.getPeerCertificate());
    if (wrongName) throw wrongName;
    const chain = chainOf(socket.getPeerX509Certificate());
    const validity = validityOf(chain);
    const at = Math.max(validity.from, await buildTime());
    if (at > validity.until)
      throw new Error('certificates: expired before this program was built, or never valid at the same time');
    await verifyAt(at, chain, options, signal);
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

/** The certificate of a server, and those of its issuers that are known. */
function chainOf(leaf: X509Certificate | undefined): X509Certificate[] {
  const chain: X509Certificate[] = [];
  for (let next = leaf; next && !chain.includes(next); next = next.issuerCertificate) chain.push(next);
  if (chain.length === 0) throw new Error('the server shows no certificate');
  return chain;
}

/** Has the program `openssl` verify a chain as it is at `at` (epoch ms), which Node cannot do. Rejects with the reason. */
async function verifyAt(
  at: number,
  [leaf, ...issuers]: readonly X509Certificate[],
  {
    ca,
    allowPartialTrustChain,
  }: { readonly ca: readonly string[]; readonly allowPartialTrustChain: boolean },
  signal: AbortSignal,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'certificates-'));
  const file = async (name: string, certificates: readonly unknown[]) => {
    await writeFile(join(folder, name), certificates.join('\n'));
    return join(folder, name);
  };
  try {
    const trusted = ['-no-CApath', '-no-CAstore', '-CAfile', await file('trusted', ca)];
    const others = issuers.length > 0 ? ['-untrusted', await file('issuers', issuers)] : [];
    const partial = allowPartialTrustChain ? ['-partial_chain'] : [];
    const how = ['-attime', String(Math.ceil(at / 1_000)), '-purpose', 'sslserver', ...partial];
    await run('openssl', ['verify', ...how, ...trusted, ...others, await file('server', [leaf])], { signal });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The time in which all of them are valid (epoch ms). */
function validityOf(chain: readonly X509Certificate[]): { from: number; until: number } {
  return {
    from: Math.max(...chain.map(({ validFromDate }) => validFromDate.getTime())),
    until: Math.min(...chain.map(({ validToDate }) => validToDate.getTime())),
  };
}
