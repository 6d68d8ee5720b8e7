import { joined, type Range } from '@visitor-counter/database/coverage/ranges';
import { LRUCache } from 'lru-cache';
import type { JournalReport } from './journal-report.ts';

/**
 * Journals, and ranges of each, in memory. A journal that was evicted is reported again, because units repeat crossings
 * that are not committed.
 */
const limits = { journals: 10_000, ranges: 100 };

/** How long a journal is remembered (ms). */
const ttl = 60 * 60_000;

/**
 * The durable part of journals that the database does not have, because their devices have too many: all crossings of
 * such a journal are kept as rejected messages. With an external broker the unit must get `committed` for them too, or
 * it would send the same crossings repeatedly. Each gateway remembers only what it has received itself; a unit that
 * repeats its messages fills the gaps.
 */
export class UnknownJournals {
  readonly #ranges = new LRUCache<string, readonly Range[]>({ max: limits.journals, ttl });

  /** The last sequence up to which every one is durable, declared lost or acknowledged, including this report. */
  advance(key: string, { acknowledged, received, lost }: JournalReport): number {
    const known = this.#ranges.get(key) ?? [];
    const ranges = joined([{ first: 1, last: acknowledged }, ...known, ...received, ...lost]);
    this.#ranges.set(key, ranges.slice(0, limits.ranges));
    return ranges[0]?.first === 1 ? ranges[0].last : 0;
  }
}
