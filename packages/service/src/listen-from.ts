import type { Server } from 'node:net';
import { type Address, listen } from './listen.ts';
import { ConfigurationError } from './settings/configuration-error.ts';

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
