import type { Socket } from 'node:net';

/** The address of a request, as the caller sent it, or as a trusted proxy forwards it. */
export interface Requested {
  readonly protocol: string;
  /** The `Host` header, with its port; empty without one. */
  readonly host: string;
  readonly socket: Pick<Socket, 'localAddress' | 'localPort'>;
}

/**
 * The address under which the caller of a request reaches this service, without a path: `https://host:port`.
 * Where the host is missing or none, it is the address that the connection came in at.
 */
export function publicUrl({ protocol, host, socket }: Requested): string {
  const scheme = protocol === 'https' ? 'https' : 'http';
  const url = isHost.test(host) ? URL.parse(`${scheme}://${host}`) : null;
  return url?.origin ?? `${scheme}://${local(socket)}`;
}

/** A name, an IPv4 address or an IPv6 one in brackets; perhaps a port. */
const isHost = /^([A-Za-z0-9._~-]+|\[[0-9A-Fa-f:.]+\])(:\d{1,5})?$/;

function local({ localAddress = 'localhost', localPort }: Requested['socket']): string {
  const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress;
  return localPort === undefined ? host : `${host}:${localPort}`;
}
