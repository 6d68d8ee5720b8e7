import { connect as connectTcp, isIP, type Socket } from 'node:net';

/** Opens the way to a server, `mqtt://` or, with `ca` (PEM) to verify its certificate by, `mqtts://`. */
export type OpenSocket = () => Socket;

/**
 * How to reach the server at `url`. A certificate that is not signed by one in `ca`, or is for another name,
 * comes as the socket's error. TLS is only loaded for who uses it: a quarter of a small unit's memory.
 */
export async function socketTo(url: string, ca: string | readonly string[] | undefined): Promise<OpenSocket> {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== 'mqtts:') {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    return () => sendAtOnce(connectTcp(Number(port || 1883), host));
  }
  const { connect } = await import('node:tls');
  const options = await tlsOptions(url, ca);
  return () => sendAtOnce(connect(options));
}

/**
 * The same for a unit whose clock is not set: connected already, with a certificate that only its dates speak against.
 * Rejects otherwise.
 */
export async function datelessSocketTo(
  url: string,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<OpenSocket> {
  const { connect } = await import('node:tls');
  const { buildTime, datelessSocket } = await import('./dateless-socket.ts');
  const options = await tlsOptions(url, ca);
  const open = (checks: object) => sendAtOnce(connect({ ...options, ...checks }));
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
    // Who lists a certificate trusts it, whoever has signed it.
    allowPartialTrustChain: ca !== undefined,
    ...(isIP(host) === 0 ? { servername: host } : {}),
  };
}

/**
 * Of itself a system keeps small messages back until what was sent before them is acknowledged: here that is when the
 * server has committed it, or 40 ms later.
 */
function sendAtOnce(socket: Socket): Socket {
  return socket.setNoDelay(true);
}
