import type { Aedes, Client } from 'aedes';
import type { Session } from './session.ts';

/** A client that has proved who it is, until nothing of it is left in the broker. */
interface Turn {
  readonly client: Client;
  /** Of two connections of a device the one with the higher number is the newer. */
  readonly generation: bigint;
  readonly gone: Promise<void>;
  readonly leave: () => void;
}

export interface TurnEvents {
  /** A client is closed because there is a newer one. */
  readonly onReplaced: (client: Client) => void;
  /** Told once of every client that tried to enter, when nothing of it is left. */
  readonly onLeft: (client: Client) => void;
}

/**
 * Lets the clients of one serial number into the broker one after the other, the newest last and alone.
 *
 * The broker closes an older client of the same id by itself, but what it does between a login and the
 * entry in its list of clients takes several turns. Were two clients of one id in that stretch, one of
 * them would stay open beside the list and receive every command as well.
 */
export class OneSocketPerSerial {
  /** The newest turn of each serial number. */
  readonly #newest = new Map<string, Turn>();
  readonly #turns = new WeakMap<Client, Turn>();
  readonly #told: TurnEvents;

  constructor(broker: Aedes, told: TurnEvents) {
    this.#told = told;
    broker.on('client', (client) => {
      /* Closed while it was on its way into the list: the broker does not tell of its end. */
      if (client.closed) this.#left(client);
    });
    broker.on('clientDisconnect', (client) => this.#left(client));
  }

  /**
   * Closes the client that has the serial number now, waits until it is gone, and lets this one in, unless
   * a newer one came meanwhile or this one has gone itself. When a newer one is there already, this one is
   * closed: logins may be answered in another order than that in which they are numbered.
   *
   * `admit` must let it into the broker at once: from then on the broker tells of its end.
   */
  async enter({ serial, generation }: Session, client: Client, admit: () => void): Promise<void> {
    const previous = this.#newest.get(serial);
    const { promise: gone, resolve: leave } = Promise.withResolvers<void>();
    const turn: Turn = { client, generation, gone, leave };
    this.#turns.set(client, turn);
    if (previous && previous.generation > generation) {
      client.close();
      return this.#left(client);
    }
    this.#newest.set(serial, turn);
    if (previous) {
      this.#told.onReplaced(previous.client);
      previous.client.close();
      await previous.gone;
    }
    if (this.#newest.get(serial) === turn && !client.closed) admit();
    else this.#left(client);
  }

  #left(client: Client): void {
    const turn = this.#turns.get(client);
    if (turn === undefined) return;
    this.#turns.delete(client);
    turn.leave();
    this.#told.onLeft(client);
    if (this.#newest.get(client.id) === turn) this.#newest.delete(client.id);
  }
}
