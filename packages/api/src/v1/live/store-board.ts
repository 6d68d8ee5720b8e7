import { isDeepStrictEqual } from 'node:util';
import type { Completeness } from '@visitor-counter/database/devices/completeness';
import { storeCompleteness } from '@visitor-counter/database/devices/store-devices';
import { dayVersions } from '@visitor-counter/database/occupancy/occupancies';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { DB } from '@visitor-counter/database/sql/schema';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { isDataFailure } from '@visitor-counter/database/sql/unavailable';
import { type StoreFacts, storeDetails } from '@visitor-counter/database/stores/stores';
import { localDateAt } from '@visitor-counter/domain/time-zone';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import type { Kysely } from 'kysely';
import { completenessItem } from '../stores/completeness.ts';
import { occupancyItem, type StoreState, storeStates } from '../stores/occupancy.ts';

/** The ids of stores whose occupancy or completeness has changed. */
export interface Changes {
  readonly occupancy: readonly number[];
  readonly completeness: readonly number[];
}

interface BoardReading extends Changes {
  /** The companies whose stores could not be read because of stored values. */
  readonly failures: ReadonlyMap<number, unknown>;
}

interface Entry {
  readonly companyId: number;
  listeners: number;
  store: StoreFacts;
  version: string | undefined;
  state: StoreState | undefined;
  completeness: Completeness | undefined;
  /** A restored database does not have it, or has a store of another company under its id. */
  isGone: boolean;
}

/** A state that was read longer ago is old (ms). */
export const stale = 5_000;

/** More than any business day that is still running began ago (ms). */
const twoDays = 48 * 60 * 60_000;

/** From one reading of everything to the next (ms). */
const fullInterval = 2_000;

/**
 * The state of the stores that have listeners. Most readings are cheap: they find the stores that have just changed. Now
 * and then, and when a store is new, everything is read: late crossings, the next business day, devices that moved,
 * stores that were changed, and what the counts lack. One reading at a time: of two concurrent ones, the older could
 * end last.
 */
export class StoreBoard {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #entries = new Map<number, Entry>();
  #version = 0;
  #fullAt = Number.NEGATIVE_INFINITY;
  #readAt = Number.NEGATIVE_INFINITY;
  #endedAt = Number.NEGATIVE_INFINITY;

  /** `now`: epoch ms. */
  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** Grows when any state may have changed. */
  get version(): number {
    return this.#version;
  }

  /** The instant (epoch ms) of the last reading that succeeded. */
  get readAt(): number {
    return this.#readAt;
  }

  /** Whether a reading has succeeded lately, however long it took. */
  get isReadable(): boolean {
    return this.#now() - this.#endedAt < stale;
  }

  /** Whether the state of a store has been read. */
  has(storeId: number): boolean {
    return this.#entries.get(storeId)?.state !== undefined;
  }

  /** Whether a store no longer exists, or belongs to another company. */
  isGone(storeId: number): boolean {
    return this.#entries.get(storeId)?.isGone === true;
  }

  /** Adds a listener to stores of a company; their state is known after the next reading. */
  add(companyId: number, stores: readonly StoreFacts[]): void {
    for (const store of stores) {
      const unknown = { version: undefined, state: undefined, completeness: undefined, isGone: false };
      const entry = this.#entries.get(store.id) ?? { companyId, store, listeners: 0, ...unknown };
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

  /** A store as an event has it; undefined before it is known. */
  itemOf(storeId: number, event: keyof Changes): object | undefined {
    const { state, completeness } = this.#entries.get(storeId) ?? {};
    if (state === undefined) return undefined;
    if (event === 'occupancy') return occupancyItem(state, completeness);
    const { sid, calendar } = state.store;
    return (
      completeness && { store: sid, ...completenessItem(completeness, zonedFormatter(calendar.timeZone)) }
    );
  }

  /**
   * Reads what has changed. Values of one company that cannot be read are a failure of that company alone.
   * Throws errors that concern all companies, such as an unavailable database.
   */
  async read(): Promise<BoardReading> {
    const at = this.#now();
    const entries = [...this.#entries.values()].filter(({ isGone }) => !isGone);
    const isFull = at - this.#fullAt >= fullInterval || entries.some(({ state }) => state === undefined);
    const read = isFull ? this.#readAll : this.#readTouched;
    const reading = await this.#byCompany(entries, (some) => read.call(this, some, at));
    this.#readAt = at;
    this.#endedAt = this.#now();
    if (isFull) this.#fullAt = at;
    return reading;
  }

  async #byCompany(
    entries: readonly Entry[],
    read: (entries: readonly Entry[]) => Promise<Changes>,
  ): Promise<BoardReading> {
    const failures = new Map<number, unknown>();
    try {
      return { ...(await read(entries)), failures };
    } catch (error) {
      if (!isDataFailure(error)) throw error;
    }
    const changes: Changes[] = [];
    for (const [companyId, some] of Map.groupBy(entries, (entry) => entry.companyId)) {
      try {
        changes.push(await read(some));
      } catch (error) {
        if (!isDataFailure(error)) throw error;
        failures.set(companyId, error);
      }
    }
    const all = (kind: keyof Changes) => changes.flatMap((change) => change[kind]);
    return { occupancy: all('occupancy'), completeness: all('completeness'), failures };
  }

  /** The stores of which a recent day was written since the previous reading. */
  async #readTouched(entries: readonly Entry[], at: number): Promise<Changes> {
    await using snapshot = await openSnapshot(this.#database);
    const byId = new Map(entries.map((entry) => [entry.store.id, entry]));
    const versions = await dayVersions(snapshot.db, [...byId.keys()], localDateAt(at - twoDays, 'UTC'));
    const touched = versions.filter(({ storeId, version }) => byId.get(storeId)?.version !== version);
    if (touched.length === 0) return { occupancy: [], completeness: [] };
    const stores = await this.#readStores(
      snapshot.db,
      touched.flatMap(({ storeId }) => byId.get(storeId) ?? []),
    );
    const occupancy = await this.#readStates(snapshot.db, stores, at);
    for (const { storeId, version } of touched) {
      const entry = byId.get(storeId);
      if (entry) entry.version = version;
    }
    return { occupancy, completeness: [] };
  }

  async #readAll(entries: readonly Entry[], at: number): Promise<Changes> {
    await using snapshot = await openSnapshot(this.#database);
    const stores = await this.#readStores(snapshot.db, entries);
    const completeness = await storeCompleteness(snapshot.db, stores, at);
    const occupancy = await this.#readStates(snapshot.db, stores, at);
    return { occupancy, completeness: this.#setCompleteness(completeness) };
  }

  /** The stores as they are now, without those that are gone. */
  async #readStores(db: Kysely<DB>, entries: readonly Entry[]): Promise<StoreFacts[]> {
    const details = await storeDetails(
      db,
      entries.map(({ store }) => store.id),
    );
    return entries.flatMap((entry) => {
      const found = details.get(entry.store.id);
      entry.isGone = found?.companyId !== entry.companyId;
      if (entry.isGone) return [];
      const present = { ...entry.store, ...found?.details };
      if (!isDeepStrictEqual(present, entry.store)) entry.store = present;
      return entry.store;
    });
  }

  /** Returns the stores whose number has changed. */
  async #readStates(db: Kysely<DB>, stores: readonly StoreFacts[], at: number): Promise<number[]> {
    const states = await storeStates(db, stores, at);
    this.#version += 1;
    return states.flatMap((state) => {
      const entry = this.#entries.get(state.store.id);
      if (entry === undefined) return [];
      const before = entry.state;
      entry.state = state;
      const isSame =
        before?.occupancy === state.occupancy &&
        before.lastChange === state.lastChange &&
        before.day.start === state.day.start &&
        before.today.in === state.today.in &&
        before.today.out === state.today.out &&
        before.today.visitors === state.today.visitors &&
        before.store === state.store;
      return isSame ? [] : [state.store.id];
    });
  }

  /** Returns the stores with other obstacles: `completeUntil` moves with every heartbeat, and is sent with other changes. */
  #setCompleteness(completeness: ReadonlyMap<number, Completeness>): number[] {
    this.#version += 1;
    return [...completeness].flatMap(([storeId, next]) => {
      const entry = this.#entries.get(storeId);
      if (entry === undefined) return [];
      const { completeness: before } = entry;
      entry.completeness = next;
      return before && JSON.stringify(before.obstacles) !== JSON.stringify(next.obstacles) ? [storeId] : [];
    });
  }
}
