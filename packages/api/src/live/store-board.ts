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
  /** What is shown, as long as nothing of it changes. */
  shown: string | undefined;
}

/**
 * The present of the stores that somebody looks at. `look` is cheap, and reads only what has changed lately;
 * `lookAtAll` finds the rest: late crossings, the next business day, devices that moved, and how units are.
 */
export class StoreBoard {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #entries = new Map<number, Entry>();
  #readings = 0;
  #lastReading: Promise<void> = Promise.resolve();

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** How often what it shows may have changed. */
  get readings(): number {
    return this.#readings;
  }

  has(storeId: number): boolean {
    return this.#entries.get(storeId)?.state !== undefined;
  }

  /** Takes stores on the board; what they show is known after the next look at all of them. */
  add(stores: readonly StoreFacts[]): void {
    for (const store of stores) {
      const known = this.#entries.get(store.id);
      if (known) known.store = store;
      else
        this.#entries.set(store.id, {
          store,
          version: undefined,
          state: undefined,
          health: undefined,
          shown: undefined,
        });
    }
  }

  remove(storeId: number): void {
    this.#entries.delete(storeId);
  }

  /** JSON of a store as `/v1/occupancy` has it; undefined before it is known. */
  shown(storeId: number): string | undefined {
    const entry = this.#entries.get(storeId);
    if (entry?.state === undefined) return undefined;
    entry.shown ??= JSON.stringify(shownState(entry.state, entry.health ?? completenessOfStore([])));
    return entry.shown;
  }

  /** JSON of how complete a store's number is. */
  shownHealth(storeId: number): string | undefined {
    const { state, health } = this.#entries.get(storeId) ?? {};
    if (state === undefined || health === undefined) return undefined;
    const { sid, calendar } = state.store;
    return JSON.stringify({ store: sid, ...shownHealth(health, zonedFormatter(calendar.timeZone)) });
  }

  /** Reads the stores whose present was written since the last look, and gives those whose number is another. */
  look(): Promise<Changes> {
    return this.#inTurn(() => this.#readTouched());
  }

  lookAtAll(): Promise<Changes> {
    return this.#inTurn(() => this.#readAll());
  }

  /** Looks at all, if anything of these stores is not known yet. */
  lookAtNew(storeIds: readonly number[]): Promise<Changes> {
    return this.#inTurn(async () => {
      const isKnown = storeIds.every((id) => this.has(id));
      return isKnown ? { occupancy: [], health: [] } : await this.#readAll();
    });
  }

  /** One reading behind the other: of two at once the older one could be the last to be taken. */
  #inTurn(read: () => Promise<Changes>): Promise<Changes> {
    const changes = this.#lastReading.then(read);
    this.#lastReading = changes.then(
      () => {},
      () => {},
    );
    return changes;
  }

  async #readTouched(): Promise<Changes> {
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

  async #readAll(): Promise<Changes> {
    await using snapshot = await openSnapshot(this.#database);
    const at = this.#now();
    const stores = [...this.#entries.values()].map(({ store }) => store);
    const health = await storeHealth(snapshot.db, stores, at);
    const occupancy = this.#take(await storeStates(snapshot.db, stores, at));
    return { occupancy, health: this.#takeHealth(health) };
  }

  #take(states: readonly StoreState[]): number[] {
    this.#readings += 1;
    return states.flatMap((state) => {
      const entry = this.#entries.get(state.store.id);
      if (entry === undefined) return [];
      const { state: before } = entry;
      entry.state = state;
      entry.shown = undefined;
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
    this.#readings += 1;
    return [...health].flatMap(([storeId, next]) => {
      const entry = this.#entries.get(storeId);
      if (entry === undefined) return [];
      const { health: before } = entry;
      entry.health = next;
      entry.shown = undefined;
      return before && JSON.stringify(before.obstacles) !== JSON.stringify(next.obstacles) ? [storeId] : [];
    });
  }
}
