import { signal } from '@preact/signals';
import * as v from 'valibot';
import { Way } from '../../data/shapes.ts';

/** The taps of a check that the server has not stored yet. */
const Taps = v.object({
  /** Of the audit. */
  id: v.string(),
  /** By the clock of this device (epoch ms), and the direction; in the order of the taps. */
  passages: v.array(v.tuple([v.number(), Way])),
  /** How far the server's clock is ahead of this device's (ms); null while it is not known. */
  offset: v.nullable(v.number()),
  by: v.string(),
  note: v.string(),
  /** Whether it was sent: from then on it does not change, so that sending it again is the same request. */
  isSent: v.boolean(),
});
export type Taps = v.InferOutput<typeof Taps>;

/** As many as the server stores for one audit. */
export const mostTaps = 2_000;

/** Where taps are kept: `localStorage`, which has them after a reload as well. */
export type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * The taps at one door. Every change begins with what is stored, so two windows do not lose each other's taps, except one of
 * two at the same moment.
 */
export class KeptTaps {
  /** What was last read. */
  readonly taps = signal<Taps | undefined>(undefined);
  readonly #key: string;
  readonly #store: Store;
  /** Used if the browser refuses to store. */
  #inMemory: Taps | undefined;

  constructor(serial: string, store: Store) {
    this.#key = `audit ${serial}`;
    this.#store = store;
    this.read();
  }

  /** Undefined if no audit is in progress. */
  read(): Taps | undefined {
    this.taps.value = this.#inMemory ?? this.#stored();
    return this.taps.value;
  }

  #stored(): Taps | undefined {
    try {
      const kept: unknown = JSON.parse(this.#store.getItem(this.#key) ?? 'null');
      return v.is(Taps, kept) ? kept : undefined;
    } catch {
      return undefined;
    }
  }

  /** Whether a reload would lose the taps. */
  get isInMemoryOnly(): boolean {
    return this.#inMemory !== undefined;
  }

  begin(id: string): void {
    if (this.read() === undefined)
      this.#write({ id, passages: [], offset: null, by: '', note: '', isSent: false });
  }

  /** The first offset remains, so that an audit that is sent again has the same; undefined if it is not known. */
  setOffset(offset: number | undefined): void {
    const taps = this.read();
    if (taps?.offset === null && offset !== undefined) this.#write({ ...taps, offset });
  }

  add(at: number, way: Way): void {
    this.#change((taps) =>
      taps.passages.length < mostTaps ? { ...taps, passages: [...taps.passages, [at, way]] } : taps,
    );
  }

  undo(): void {
    this.#change((taps) => ({ ...taps, passages: taps.passages.slice(0, -1) }));
  }

  /** From now on the audit is sent until it is stored. */
  finish(by: string, note: string): void {
    this.#change((taps) => ({ ...taps, by, note, isSent: true }));
  }

  /** Discards the taps of this audit; false if they are those of another one, or were discarded before. */
  discard(id: string): boolean {
    if (this.read()?.id !== id) return false;
    this.#inMemory = undefined;
    this.#store.removeItem(this.#key);
    this.read();
    return true;
  }

  #change(change: (taps: Taps) => Taps): void {
    const taps = this.read();
    if (taps !== undefined && !taps.isSent) this.#write(change(taps));
  }

  #write(taps: Taps): void {
    try {
      this.#store.setItem(this.#key, JSON.stringify(taps));
      this.#inMemory = undefined;
    } catch {
      this.#inMemory = taps;
    }
    this.read();
  }
}
