import type { Delivery } from './delivery.ts';
import { InFlight, type Prefix, type Sent } from './in-flight.ts';

/** A PUBACK frees the journal: the server sends it only when the crossings are committed. */
export class PubackDelivery implements Delivery {
  readonly #window: number;
  #inFlight: InFlight;

  constructor(acknowledged: Prefix, window: number) {
    this.#inFlight = new InFlight(acknowledged);
    this.#window = window;
  }

  get next(): number {
    return this.#inFlight.next;
  }

  get hasRoom(): boolean {
    return this.#inFlight.size < this.#window;
  }

  sent(sent: Sent): void {
    this.#inFlight.add(sent);
  }

  lost(through: number): Prefix | undefined {
    return this.#inFlight.lost(through);
  }

  restart(acknowledged: Prefix): void {
    this.#inFlight = new InFlight(acknowledged);
  }

  acknowledged(sent: Sent): Prefix | undefined {
    return this.#inFlight.acknowledged(sent);
  }
}
