import type { Delivery } from './delivery.ts';
import { InFlight, type Sent } from './in-flight.ts';

/** A PUBACK frees the journal: the server sends it only when the crossings are committed. */
export class PubackDelivery implements Delivery {
  #inFlight = new InFlight();
  readonly #window: number;
  #next: number;

  constructor(acknowledged: number, window: number) {
    this.#next = acknowledged + 1;
    this.#window = window;
  }

  get next(): number {
    return this.#next;
  }

  get hasRoom(): boolean {
    return this.#inFlight.size < this.#window;
  }

  sent(sent: Sent): void {
    this.#inFlight.add(sent);
    this.#next = sent.through + 1;
  }

  restart(acknowledged: number): void {
    this.#inFlight = new InFlight();
    this.#next = acknowledged + 1;
  }

  acknowledged(sent: Sent): Sent | undefined {
    return this.#inFlight.acknowledged(sent);
  }
}
