import { setTimeout as delay } from 'node:timers/promises';
import { Latencies } from '../shared/latencies.ts';
import type { People } from './people.ts';
import { type StoreNumbers, storeNumbers } from './store-numbers.ts';
import { openStream, type Stream } from './stream.ts';

/** How many streams are opened concurrently. */
const atOnce = 50;

/** The listeners of all stores; each must receive each person. */
export class Listeners {
  readonly latencies = new Latencies();
  readonly #people: People;
  readonly #streams: Stream[] = [];
  /** How many people each listener has received, by store. */
  readonly #received: number[][] = [];
  #from = Number.POSITIVE_INFINITY;

  static async open(port: number, listeners: number, people: People): Promise<Listeners> {
    const group = new Listeners(people);
    const numbers = storeNumbers();
    for (let first = 0; first < listeners; first += atOnce) {
      const count = Math.min(atOnce, listeners - first);
      await Promise.all(Array.from({ length: count }, () => group.#open(port, numbers)));
    }
    return group;
  }

  constructor(people: People) {
    this.#people = people;
  }

  /** People who enter from then on (`performance.now()`) are measured. */
  measureFrom(from: number): void {
    this.#from = from;
  }

  /** How many notifications are missing so many ms after the last person entered. */
  async missingAfter(patience: number): Promise<number> {
    const deadline = performance.now() + patience;
    while (this.#missing() > 0 && performance.now() < deadline) await delay(20);
    return this.#missing();
  }

  /** Resolves when the api has ended all streams. */
  async ended(): Promise<void> {
    await Promise.all(this.#streams.map((stream) => stream.ended()));
  }

  [Symbol.dispose](): void {
    for (const stream of this.#streams) stream.close();
  }

  async #open(port: number, numbers: (event: string) => StoreNumbers): Promise<void> {
    const received = this.#people.cameIn.map(() => 0);
    this.#received.push(received);
    this.#streams.push(await openStream(port, (event) => this.#record(received, numbers(event))));
  }

  #record(received: number[], numbers: StoreNumbers): void {
    const now = performance.now();
    for (const { store, occupancy } of numbers) {
      const cameIn = this.#people.cameIn[store] ?? [];
      for (let person = received[store] ?? 0; person < occupancy; person += 1) {
        const at = cameIn[person] ?? Number.NaN;
        if (at >= this.#from) this.latencies.add(now - at);
      }
      received[store] = Math.max(received[store] ?? 0, occupancy);
    }
  }

  #missing(): number {
    const people = this.#people.cameIn.map(({ length }) => length);
    const missing = this.#received.flatMap((received) =>
      received.map((count, store) => (people[store] ?? 0) - count),
    );
    return missing.reduce((sum, count) => sum + count, 0);
  }
}
