import type { Aedes, Client } from 'aedes';
import type { Session } from './login.ts';

/** A client that has logged in, until the broker has removed it. */
interface Entry {
  readonly client: Client;
  /** Of two connections of a device, the one with the higher number is newer. */
  readonly generation: bigint;
  readonly removed: Promise<void>;
  readonly onRemoved: () => void;
}

export interface EntryEvents {
  /** A client is closed because there is a newer one. */
  readonly onReplaced: (client: Client) => void;
  /** The broker has removed a client; called once for every client that tried to enter. */
  readonly onRemoved: (client: Client) => void;
}

/**
 * Admits the clients of one serial number to the broker one after the other, so that only the newest remains.
 *
 * The broker closes an older client of the same id itself, but needs several turns of the event loop between a login and
 * the entry in its list of clients. Two clients of one id in this interval would both stay open and receive every
 * command.
 */
export class OneSocketPerSerial {
  /** The newest entry of each serial number. */
  readonly #newest = new Map<string, Entry>();
  readonly #entries = new WeakMap<Client, Entry>();
  readonly #events: EntryEvents;

  constructor(broker: Aedes, events: EntryEvents) {
    this.#events = events;
    broker.on('client', (client) => {
      /* Closed before the broker has listed it: the broker does not report its end. */
      if (client.closed) this.#remove(client);
    });
    broker.on('clientDisconnect', (client) => this.#remove(client));
  }

  /**
   * Closes the client that has the serial number, waits until it is removed, and admits this one, unless a newer one has
   * come in the meantime or this one is closed. Closes this one when a newer one is already there: logins may be
   * answered in a different order than they are numbered.
   *
   * `admit` must pass it to the broker synchronously: from then on the broker reports its end.
   */
  async enter({ serial, generation }: Session, client: Client, admit: () => void): Promise<void> {
    const previous = this.#newest.get(serial);
    const { promise: removed, resolve: onRemoved } = Promise.withResolvers<void>();
    const entry: Entry = { client, generation, removed, onRemoved };
    this.#entries.set(client, entry);
    if (previous && previous.generation > generation) {
      client.close();
      return this.#remove(client);
    }
    this.#newest.set(serial, entry);
    if (previous) {
      this.#events.onReplaced(previous.client);
      previous.client.close();
      await previous.removed;
    }
    if (this.#newest.get(serial) === entry && !client.closed) admit();
    else this.#remove(client);
  }

  #remove(client: Client): void {
    const entry = this.#entries.get(client);
    if (entry === undefined) return;
    this.#entries.delete(client);
    entry.onRemoved();
    this.#events.onRemoved(client);
    if (this.#newest.get(client.id) === entry) this.#newest.delete(client.id);
  }
}
