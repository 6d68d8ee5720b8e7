import { utcText } from '@visitor-counter/domain/time';
import type { Listener } from './listener.ts';
import type { Changes, StoreBoard } from './store-board.ts';

/**
 * The listeners to the same stores of one company. They receive the same events, each of which is encoded once. The
 * state of the stores is on the board: a listener costs no memory for them.
 */
export class StoreGroup {
  readonly companyId: number;
  readonly storeIds: readonly number[];
  readonly listeners = new Set<Listener>();
  /** Epoch ms. */
  readonly createdAt: number;
  readonly #wanted: ReadonlySet<number>;
  readonly #board: StoreBoard;
  readonly #now: () => number;
  #latest: { readonly version: number; readonly event: Buffer } | undefined;

  /** `now`: epoch ms. */
  constructor(companyId: number, storeIds: readonly number[], board: StoreBoard, now: () => number) {
    this.companyId = companyId;
    this.storeIds = storeIds;
    this.#wanted = new Set(storeIds);
    this.#board = board;
    this.#now = now;
    this.createdAt = now();
  }

  /** Whether the state of every store has been read. */
  get isKnown(): boolean {
    return this.storeIds.every((id) => this.#board.has(id));
  }

  /** An event with the state of every store, the same buffer until the board changes; undefined before all are known. */
  latest(): Buffer | undefined {
    const { version } = this.#board;
    if (this.#latest?.version === version) return this.#latest.event;
    this.#latest = undefined;
    if (!this.isKnown) return undefined;
    this.#latest = { version, event: this.#event('occupancy', this.storeIds) };
    return this.#latest.event;
  }

  /** Sends each listener what has changed, or the state of all stores if it does not have that. Throws if none can be written. */
  update({ occupancy, health }: Changes): void {
    const events = [...this.#changed('occupancy', occupancy), ...this.#changed('health', health)];
    const changed = events.length > 0 ? Buffer.concat(events) : undefined;
    for (const listener of this.listeners) {
      if (changed) listener.update(changed);
      listener.catchUp();
    }
  }

  /** `isRead`: the database has been read lately. */
  beat(isRead: boolean): void {
    const data = JSON.stringify({ at: utcText(this.#now()), fresh: isRead && this.isKnown });
    const event = eventBytes('beat', data);
    for (const listener of this.listeners) listener.beat(event);
  }

  #changed(event: 'occupancy' | 'health', storeIds: readonly number[]): Buffer[] {
    const wanted = storeIds.filter((id) => this.#wanted.has(id));
    return wanted.length > 0 ? [this.#event(event, wanted)] : [];
  }

  #event(event: 'occupancy' | 'health', storeIds: readonly number[]): Buffer {
    const states = storeIds.flatMap(
      (id) => (event === 'health' ? this.#board.healthJson(id) : this.#board.occupancyJson(id)) ?? [],
    );
    const at = this.#now();
    return eventBytes(event, `{"at":"${utcText(at)}","stores":[${states.join(',')}]}`, at);
  }
}

/** A server-sent event (WHATWG HTML, section 9.2) as it is sent. The data is JSON, so it has no line ends. */
function eventBytes(event: 'occupancy' | 'health' | 'beat', data: string, id?: number): Buffer {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`);
}
