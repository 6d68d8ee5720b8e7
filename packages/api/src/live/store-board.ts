import type { Database } from '@visitor-counter/database/connect';
import { type Completeness, completenessOfStore } from '@visitor-counter/database/reading/completeness';
import { quarterVersions } from '@visitor-counter/database/reading/quarter-versions';
import { openSnapshot } from '@visitor-counter/database/reading/snapshot';
import type { StoreFacts } from '@visitor-counter/database/reading/store-facts';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import { shownHealth } from '../v1/shown-health.ts';
import { type StoreState, shownState, storeHealth, storeStates } from '../v1/store-states.ts';

/** Which stores are to be told of anew. */
export interface Changes {
  readonly occupancy: readonly number[];
  readonly health: readonly number[];
}

interface Entry {
  store: StoreFacts;
  version: string | undefined;
  state: StoreState | undefined;
  health: Completeness | undefined;
}

/**
 * The present of the stores that somebody looks at. `look` is cheap, and reads only what has changed lately;
 * `lookAtAll` finds the rest: late crossings, the next business day, devices that moved, and how units are.
 */
export class StoreBoard {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #entries = new Map<number, Entry>();

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  has(storeId: number): boolean {
    return this.#entries.get(storeId)?.state !== undefined;
  }

  /** Takes stores on the board; what they show is known after the next look at all of them. */
  add(stores: readonly StoreFacts[]): void {
    for (const store of stores) {
      const known = this.#entries.get(store.id);
      if (known) known.store = store;
      else this.#entries.set(store.id, { store, version: undefined, state: undefined, health: undefined });
    }
  }

  remove(storeId: number): void {
    this.#entries.delete(storeId);
  }

  /** JSON of a store as `/v1/occupancy` has it; undefined before it is known. */
  shown(storeId: number): string | undefined {
    const { state, health } = this.#entries.get(storeId) ?? {};
    return state && JSON.stringify(shownState(state, health ?? completenessOfStore([])));
  }

  /** JSON of how complete a store's number is. */
  shownHealth(storeId: number): string | undefined {
    const { state, health } = this.#entries.get(storeId) ?? {};
    if (state === undefined || health === undefined) return undefined;
    const { sid, calendar } = state.store;
    return JSON.stringify({ store: sid, ...shownHealth(health, zonedFormatter(calendar.timeZone)) });
  }

  /** Reads the stores whose present was written since the last look, and gives those whose number is another. */
  async look(): Promise<Changes> {
    await using snapshot = await openSnapshot(this.#database);
    const at = this.#now();
    const versions = await quarterVersions(snapshot.db, [...this.#entries.keys()], at);
    const touched = versions.flatMap(({ storeId, version }) => {
      const entry = this.#entries.get(storeId);
      if (entry === undefined || entry.version === version) return [];
      entry.version = version;
      return entry.store;
    });
    if (touched.length === 0) return { occupancy: [], health: [] };
    return { occupancy: this.#take(await storeStates(snapshot.db, touched, at)), health: [] };
  }

  async lookAtAll(): Promise<Changes> {
    await using snapshot = await openSnapshot(this.#database);
    const at = this.#now();
    const stores = [...this.#entries.values()].map(({ store }) => store);
    const health = await storeHealth(snapshot.db, stores, at);
    const occupancy = this.#take(await storeStates(snapshot.db, stores, at));
    return { occupancy, health: this.#takeHealth(health) };
  }

  #take(states: readonly StoreState[]): number[] {
    return states.flatMap((state) => {
      const entry = this.#entries.get(state.store.id);
      if (entry === undefined) return [];
      const { state: before } = entry;
      entry.state = state;
      const isSame =
        before?.occupancy === state.occupancy &&
        before.lastChange === state.lastChange &&
        before.day.start === state.day.start &&
        before.store.capacity === state.store.capacity;
      return isSame ? [] : [state.store.id];
    });
  }

  /** `completeUntil` moves with every heartbeat: it is told with other news, and is none by itself. */
  #takeHealth(health: ReadonlyMap<number, Completeness>): number[] {
    return [...health].flatMap(([storeId, next]) => {
      const entry = this.#entries.get(storeId);
      if (entry === undefined) return [];
      const { health: before } = entry;
      entry.health = next;
      return before && JSON.stringify(before.obstacles) !== JSON.stringify(next.obstacles) ? [storeId] : [];
    });
  }
}
