import { connect as connectTcp, isIP, type Socket } from 'node:net';

/** Opens a socket to a server. */
export type OpenSocket = () => Socket;

/**
 * The function that opens a socket to the server at `url`, `mqtt://` or `mqtts://`. If its certificate is not signed by
 * one in `ca` (PEM), or is for another name, the socket emits an error. TLS needs a quarter of a small unit's memory, so
 * it is only loaded for `mqtts://`.
 */
export async function socketTo(url: string, ca: string | readonly string[] | undefined): Promise<OpenSocket> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'mqtts:') {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    return () => withoutDelay(connectTcp(Number(port || 1883), host));
  }
  const { connect } = await import('node:tls');
  const options = await tlsOptions(url, ca);
  return () => withoutDelay(connect(options));
}

/**
 * The same for a unit whose clock is not set; the socket is already connected. Rejects if anything but the dates of the
 * certificate is wrong.
 */
export async function datelessSocketTo(
  url: string,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<OpenSocket> {
  const { connect } = await import('node:tls');
  const { buildTime, datelessSocket } = await import('./dateless-socket.ts');
  const options = await tlsOptions(url, ca);
  const open = (checks: object) => withoutDelay(connect({ ...options, ...checks }));
  const socket = await datelessSocket(open, options.host, [options.ca].flat(), await buildTime(), signal);
  return () => socket;
}

async function tlsOptions(url: string, ca: string | readonly string[] | undefined) {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const { trustedCertificates } = await import('./trusted-certificates.ts');
  const trusted = ca === undefined ? await trustedCertificates() : ca;
  return {
    host,
    port: Number(port || 8883),
    ca: typeof trusted === 'string' ? trusted : [...trusted],
    // A certificate that is listed in `ca` is trusted even if its issuer is not.
    allowPartialTrustChain: ca !== undefined,
    ...(isIP(host) === 0 ? { servername: host } : {}),
  };
}

/**
 * By default the system delays a small message until the previous one is acknowledged: here that is after its commit, or
 * 40 ms later.
 */
function withoutDelay(socket: Socket): Socket {
  return socket.setNoDelay(true);
}
