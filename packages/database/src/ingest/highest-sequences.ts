import { LRUCache } from 'lru-cache';
import type { CrossingRow } from './crossing-row.ts';

/** Of how many journals. */
const kept = 20_000;

/** The highest sequence of each journal that is known to be stored; what lies behind it is most likely new. */
export class HighestSequences {
  readonly #highest = new LRUCache<number, number>({ max: kept });

  /** Whether rows, sorted by `compareKeys`, all lie behind what is known of their journals, no key twice. */
  areBehind(rows: readonly CrossingRow[]): boolean {
    let journalId: number | undefined;
    let last = 0;
    for (const row of rows) {
      if (row.journalId !== journalId) {
        journalId = row.journalId;
        last = this.#highest.get(journalId) ?? Number.POSITIVE_INFINITY;
      }
      if (row.sequence <= last) return false;
      last = row.sequence;
    }
    return true;
  }

  /** Rows, sorted by `compareKeys`, are stored. */
  note(rows: readonly CrossingRow[]): void {
    let last: CrossingRow | undefined;
    for (const row of rows) {
      if (last && last.journalId !== row.journalId) this.#raise(last);
      last = row;
    }
    if (last) this.#raise(last);
  }

  #raise({ journalId, sequence }: CrossingRow): void {
    this.#highest.set(journalId, Math.max(sequence, this.#highest.get(journalId) ?? 0));
  }
}
