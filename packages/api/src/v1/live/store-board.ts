import { isDeepStrictEqual } from 'node:util';
import type { Completeness } from '@visitor-counter/database/devices/completeness';
import { storeCompleteness } from '@visitor-counter/database/devices/store-devices';
import { dayVersions } from '@visitor-counter/database/occupancy/projected-days';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { type StoreFacts, storeDetails } from '@visitor-counter/database/stores/store-facts';
import { localDateAt } from '@visitor-counter/domain/time-zone';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import { completenessItem } from '../stores/completeness.ts';
import { occupancyItem, type StoreState, storeStates } from '../stores/occupancy.ts';

/** What the events of a stream are about. */
export type Subject = 'occupancy' | 'completeness';

interface Entry {
  listeners: number;
  store: StoreFacts;
  /** The version of its recent days. */
  days: string | undefined;
  state: StoreState | undefined;
  completeness: Completeness | undefined;
  /** The numbers of the readings that found these changed. */
  readonly changed: Record<Subject, number>;
}

/** More than any business day that is still running began ago (ms). */
const twoDays = 48 * 60 * 60_000;

/** From one reading of everything to the next (ms). */
const fullInterval = 2_000;

/**
 * The state of the stores that have listeners. Most readings are cheap: they find the stores of which a day has just been
 * written. Now and then, and when a store is new, everything is read: the next business day, devices that moved, stores that
 * were changed, and what the counts lack. One reading at a time: of two concurrent ones, the older could end last.
 */
export class StoreBoard {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #entries = new Map<number, Entry>();
  #reading = 0;
  #fullAt = Number.NEGATIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;

  /** `now`: epoch ms. */
  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** The number of the last reading that succeeded, from 1. */
  get reading(): number {
    return this.#reading;
  }

  /** Its instant (epoch ms). */
  get readAt(): number {
    return this.#readAt;
  }

  /** Whether the state of a store has been read. */
  has(storeId: number): boolean {
    return this.#entries.get(storeId)?.state !== undefined;
  }

  /** Adds a listener to stores; their state is known after the next reading. */
  add(stores: readonly StoreFacts[]): void {
    for (const store of stores) {
      const unknown = { days: undefined, state: undefined, completeness: undefined };
      const changed = { occupancy: 0, completeness: 0 };
      const entry = this.#entries.get(store.id) ?? { store, listeners: 0, changed, ...unknown };
      entry.listeners += 1;
      this.#entries.set(store.id, entry);
    }
  }

  /** Removes a listener; stores without one are not read. */
  remove(storeIds: readonly number[]): void {
    for (const id of storeIds) {
      const entry = this.#entries.get(id);
      if (entry === undefined) continue;
      entry.listeners -= 1;
      if (entry.listeners === 0) this.#entries.delete(id);
    }
  }

  /** A store as an event has it, if it has changed after a reading. */
  itemOf(storeId: number, subject: Subject, after: number): object | undefined {
    const { state, completeness, changed } = this.#entries.get(storeId) ?? {};
    if (state === undefined || changed === undefined || changed[subject] <= after) return undefined;
    if (subject === 'occupancy') return occupancyItem(state, completeness);
    const { sid, calendar } = state.store;
    return { store: sid, ...completenessItem(completeness, zonedFormatter(calendar.timeZone)) };
  }

  /** Reads what has changed. */
  async read(): Promise<void> {
    const at = this.#now();
    const entries = [...this.#entries.values()];
    const isFull = at - this.#fullAt >= fullInterval || entries.some(({ state }) => state === undefined);
    await using snapshot = await openSnapshot(this.#database);
    const { db } = snapshot;
    const ids = entries.map(({ store }) => store.id);
    const days = await dayVersions(db, ids, localDateAt(at - twoDays, 'UTC'));
    const touched = isFull ? entries : entries.filter((entry) => days.get(entry.store.id) !== entry.days);
    const stores = touched.length > 0 ? await this.#readStores(db, touched) : [];
    const completeness = isFull ? await storeCompleteness(db, stores, at) : undefined;
    const states = stores.length > 0 ? await storeStates(db, stores, at) : [];
    this.#reading += 1;
    this.#readAt = at;
    if (isFull) this.#fullAt = at;
    for (const state of states) {
      const entry = this.#entries.get(state.store.id);
      /* One that was added during a reading of changes waits for the next reading of everything. */
      if (entry === undefined || (entry.state === undefined && !isFull)) continue;
      this.#set(entry, state, completeness?.get(state.store.id) ?? entry.completeness);
      entry.days = days.get(state.store.id);
    }
  }

  /** `completeUntil` moves with every heartbeat, and is sent with other changes. */
  #set(entry: Entry, state: StoreState, completeness: Completeness | undefined): void {
    if (!isDeepStrictEqual(entry.state, state)) entry.changed.occupancy = this.#reading;
    if (!isDeepStrictEqual(entry.completeness?.obstacles, completeness?.obstacles))
      entry.changed.completeness = this.#reading;
    Object.assign(entry, { state, completeness });
  }

  /** The stores as they are now. */
  async #readStores(db: Db, entries: readonly Entry[]): Promise<StoreFacts[]> {
    const details = await storeDetails(
      db,
      entries.map(({ store }) => store.id),
    );
    return entries.map((entry) => {
      entry.store = { ...entry.store, ...details.get(entry.store.id) };
      return entry.store;
    });
  }
}
