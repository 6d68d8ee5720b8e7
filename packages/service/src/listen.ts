import type { Server } from 'node:net';
import { ConfigurationError } from './settings/configuration-error.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
  /** The variable that set the port, for the error when it is taken. */
  readonly setting: string;
}

/** Listens and returns the port that was taken, which differs from the asked one only where that was 0. */
export async function listen(server: Server, { host, port, setting }: Address): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port, setting)));
    server.listen(port, host, resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a TCP port');
  return address.port;
}

/** How many ports are tried from a default one on. */
const tries = 50;

/**
 * Listens on the address, or, where `anyPort` says that its port is only a default, on the next one that is
 * free; returns the port that was taken.
 */
export async function listenFrom(server: Server, address: Address, anyPort: boolean): Promise<number> {
  const last = address.port + (anyPort ? tries - 1 : 0);
  for (let port = address.port; ; port += 1) {
    try {
      return await listen(server, { ...address, port });
    } catch (error) {
      const isOfPort = error instanceof ConfigurationError && error.setting === address.setting;
      if (port >= last || !isOfPort) throw error;
    }
  }
}

/** Turns what the system says about a port into what the operator can do about it. */
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
