import { eventBytes } from './event-bytes.ts';
import type { Listener } from './listener.ts';
import type { Changes, StoreBoard } from './store-board.ts';

/**
 * Listeners who see the same stores, and are told the same, which is encoded once for all of them. What is known of
 * the stores is on the board: a listener holds nothing of them.
 */
export class Audience {
  readonly storeIds: readonly number[];
  readonly listeners = new Set<Listener>();
  readonly #seen: ReadonlySet<number>;
  readonly #board: StoreBoard;
  readonly #now: () => number;
  #latest: { readonly reading: number; readonly event: Buffer } | undefined;

  /** `now`: epoch ms. */
  constructor(storeIds: readonly number[], board: StoreBoard, now: () => number) {
    this.storeIds = storeIds;
    this.#seen = new Set(storeIds);
    this.#board = board;
    this.#now = now;
  }

  /** An event with the number of every store, the same for all who ask between two readings of the board. */
  latest(): Buffer {
    const { readings: reading } = this.#board;
    if (this.#latest?.reading !== reading) {
      this.#latest = { reading, event: this.#event('occupancy', this.storeIds) };
    }
    return this.#latest.event;
  }

  tell({ occupancy, health }: Changes): void {
    const changed = occupancy.filter((id) => this.#seen.has(id));
    const otherwise = health.filter((id) => this.#seen.has(id));
    const events = [
      ...(changed.length > 0 ? [this.#event('occupancy', changed)] : []),
      ...(otherwise.length > 0 ? [this.#event('health', otherwise)] : []),
    ];
    if (events.length > 0) this.send(Buffer.concat(events));
  }

  send(event: Buffer): void {
    for (const listener of this.listeners) listener.send(event);
  }

  #event(event: 'occupancy' | 'health', storeIds: readonly number[]): Buffer {
    const shown = storeIds.flatMap(
      (id) => (event === 'health' ? this.#board.shownHealth(id) : this.#board.shown(id)) ?? [],
    );
    const at = this.#now();
    const data = `{"at":"${new Date(at).toISOString()}","stores":[${shown.join(',')}]}`;
    return eventBytes(event, data, at);
  }
}
