import type { JournalSettings } from './journal-settings.ts';
import type { StoredJournal } from './journals.ts';
import type { Store } from './store.ts';

/** The position is stored after so many acknowledged crossings, or after this time (ms): each write wears the card. */
const storeAfter = { crossings: 500, ms: 600_000 };
/** `keepFor` is divided into this many marks. */
const marksPerPeriod = 32;
/** A database with less room than this has reached its limit (bytes). */
const margin = 16_384;

/**
 * Stores how far a journal is acknowledged, and removes acknowledged crossings.
 *
 * The time since an acknowledgement is measured in running time of the agent, from mark to mark, since a unit's clock may
 * be wrong by any amount. Time without a running agent is not counted: crossings are then kept longer.
 */
export class Retention {
  readonly #store: Store;
  readonly #settings: JournalSettings;
  readonly #openedAt = performance.now();
  readonly #ranBefore: number;
  #stored: { through: number; at: number };

  constructor(store: Store, settings: JournalSettings) {
    this.#store = store;
    this.#settings = settings;
    this.#ranBefore = store.current.ran;
    this.#stored = { through: store.current.acknowledged, at: performance.now() };
  }

  /** Whether the database has reached its size limit. */
  get isAtLimit(): boolean {
    return this.#store.bytes >= this.#settings.limit - margin;
  }

  /** Whether the position of a journal should be stored now. */
  isDue({ ended, acknowledged, recorded }: Readonly<StoredJournal>): boolean {
    const { through, at } = this.#stored;
    if (ended) return acknowledged >= recorded;
    return acknowledged - through >= storeAfter.crossings || performance.now() - at >= storeAfter.ms;
  }

  /** Stores all positions, and removes what need not be kept. Throws the error of the disk. */
  clean(): void {
    const { keepFor, keepWithin } = this.#settings;
    const { current } = this.#store;
    const ran = Math.round(this.#ranBefore + performance.now() - this.#openedAt);
    const expired = current.marks.findLastIndex(([, since]) => since <= ran - keepFor);
    const through = current.marks[expired]?.[0] ?? 0;
    this.#store.mark(ran, current.marks.slice(Math.max(0, expired)), keepFor / marksPerPeriod);
    this.#store.removeEnded();
    this.#stored = { through: current.acknowledged, at: performance.now() };
    if (through > 0) this.#store.remove(current, through);
    while (this.#store.bytes > keepWithin && this.#removeOldest());
  }

  /** Removes acknowledged crossings because the disk is full; returns whether there were any. */
  makeRoom(): boolean {
    const first = this.#store.first(this.#store.current);
    const isRemoved = this.#removeOldest();
    if (isRemoved)
      this.#settings.log.warn(
        { first },
        'acknowledged crossings deleted to make room: a restored server cannot request them again',
      );
    return isRemoved;
  }

  /** Removes the older half of the acknowledged crossings; returns whether there were any. */
  #removeOldest(): boolean {
    const { current } = this.#store;
    const first = this.#store.first(current);
    const last = Math.min(current.acknowledged, current.recorded - 1);
    if (first === undefined || first > last) return false;
    this.#store.remove(current, Math.floor((first + last) / 2));
    return true;
  }
}
