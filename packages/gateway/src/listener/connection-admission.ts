import type { Socket } from 'node:net';
import { addressKey } from '@visitor-counter/service/address-key';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Place, Places } from './connection-limits.ts';

/**
 * Gives the sockets of a server their places. A socket with TLS shares the place of the plain one beneath
 * it: both have the same address and port on the other side, which no other open socket has.
 */
export class Door {
  readonly #places: Places;
  readonly #onRefused: (limit: string) => void;
  readonly #log: BoundedLog;
  readonly #taken = new Map<string, Place>();

  /** `onRefused` is told the limit of each connection that was not let in. */
  constructor(places: Places, onRefused: (limit: string) => void, log: BoundedLog) {
    this.#places = places;
    this.#onRefused = onRefused;
    this.#log = log;
  }

  /** Connections that were let in and are still there, those in their TLS handshake too. */
  get connections(): number {
    return this.#places.open;
  }

  /** Lets a new connection in, before anything was read from it, or ends it. */
  enter(socket: Socket): void {
    const place = this.#places.enter(addressKey(socket.remoteAddress));
    if ('refused' in place) {
      this.#onRefused(place.refused);
      this.#log.write('warn', { limit: place.refused, address: socket.remoteAddress }, 'connection refused');
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    this.#taken.set(key, place);
    socket.once('close', () => {
      place.leave();
      if (this.#taken.get(key) === place) this.#taken.delete(key);
    });
  }

  /** The place of a connection; undefined when it has none any more. */
  placeOf(socket: Socket): Place | undefined {
    return socket.destroyed ? undefined : this.#taken.get(keyOf(socket));
  }
}

function keyOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`;
}
