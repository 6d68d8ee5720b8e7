import type { Disk } from './disk.ts';
import type { JournalSettings } from './journal-settings.ts';
import type { NewCrossing } from './rows.ts';
import { Store } from './store.ts';

/** The most crossings that are held in memory: a week of a busy door, some 10 MB. */
const mostHeld = 100_000;

/** The crossings that the disk has not stored, in a journal of their own in memory. */
export class Held {
  readonly #settings: JournalSettings;
  #store: Store | undefined;
  /** They may be on the disk although writing failed, so they are not delivered: otherwise they could be counted twice. */
  #inDoubt: readonly NewCrossing[] = [];

  constructor(settings: JournalSettings) {
    this.#settings = settings;
  }

  /** Undefined if there is no journal in memory. */
  get store(): Store | undefined {
    return this.#store;
  }

  /** The journal in memory, which begins if there is none. */
  open(): Store {
    this.#store ??= Store.open(':memory:', { ...this.#settings, limit: 0 });
    return this.#store;
  }

  /** How many of its crossings are not acknowledged. */
  get pending(): number {
    return this.#inDoubt.length + (this.#store?.pending ?? 0);
  }

  /** Returns how many crossings were dropped because there are too many. */
  append(crossings: readonly NewCrossing[]): number {
    const room = crossings.slice(0, Math.max(0, mostHeld - this.pending));
    this.open().append(room);
    return crossings.length - room.length;
  }

  /** Those of the append that has failed: nothing else is appended to the disk before they are there. */
  appendInDoubt(crossings: readonly NewCrossing[]): void {
    this.#inDoubt = crossings;
  }

  /** Moves everything to the disk. Throws if that cannot be written. */
  moveTo(disk: Disk): void {
    disk.append(this.#inDoubt);
    this.#inDoubt = [];
    if (this.#store) disk.adopt(this.#store);
    this.#store?.close();
    this.#store = undefined;
  }
}
