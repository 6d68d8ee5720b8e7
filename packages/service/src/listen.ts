import { isIPv4, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { ConfigurationError } from './settings/configuration-error.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
  /** The setting of the port, which the error names if the port is taken. */
  readonly setting: string;
  /** The port is only a default: if it is taken, the next free one is used. */
  readonly isDefault?: boolean;
}

/** Listens and returns the port in use, which differs from the requested one only if that is 0. */
export async function listen(server: Server, { host, port, setting }: Address): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port, setting)));
    server.listen(port, usableHost(host), resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a TCP port');
  return address.port;
}

/** The host to listen on: `::` serves IPv4 as well, and a machine without IPv6 has 0.0.0.0 instead. */
export function usableHost(host: string): string {
  const addresses = Object.values(networkInterfaces()).flatMap((found = []) => found);
  return host === '::' && !addresses.some(({ family }) => family === 'IPv6') ? '0.0.0.0' : host;
}

/** How many ports are tried, beginning with the default one. */
const tries = 50;

/** Listens on the address, or, if its port is only a default, on the next free one; returns the port in use. */
export async function listenFrom(server: Server, address: Address): Promise<number> {
  const last = address.port + (address.isDefault ? tries - 1 : 0);
  for (let port = address.port; ; port += 1) {
    try {
      return await listen(server, { ...address, port });
    } catch (error) {
      const isOfPort = error instanceof ConfigurationError && error.setting === address.setting;
      if (port >= last || !isOfPort) throw error;
    }
  }
}

/** Converts the system's error about a port to an error that advises the operator. */
export function listenError(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  setting: string,
): Error {
  if (error.code === 'EADDRINUSE') {
    return new ConfigurationError(setting, String(port), `a port that is free on ${host}; this one is taken`);
  }
  if (error.code === 'EACCES') {
    return new ConfigurationError(setting, String(port), 'a port that this user may listen on');
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new ConfigurationError(setting.replace(/PORT$/, 'HOST'), host, 'an address of this machine');
  }
  return error;
}

/** Whether only programs of this machine can connect to a host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** The host by which programs of this machine reach a server on `host`: a loopback address that `::` serves without IPv6, too. */
export function localHost(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
}

export function urlOf(scheme: string, host: string, port: number): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
