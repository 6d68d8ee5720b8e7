import type { Stretch } from '@visitor-counter/domain/occupancy';
import { LRUCache } from 'lru-cache';

/** The part of a store's business day that is over. */
export interface SettledDay {
  /** When the day began (epoch ms). */
  readonly start: number;
  /** The last quarter in it. */
  readonly through: number;
  /** Where the tables came from that it was read from. */
  readonly origin: string;
  /** How often its quarters had been changed after they were over. */
  readonly changes: number;
  readonly stretch: Stretch;
  /** The instant (epoch ms) of its latest crossing; -Infinity where there is none. */
  readonly latest: number;
}

/**
 * What a process remembers of business days by store, so that today's number is read from the quarters that are
 * not over. It is true as long as as many late changes are noted as when it was made, which every reader checks.
 */
export type SettledDays = LRUCache<number, SettledDay>;

/** 100 bytes each. */
const remembered = 50_000;

export function settledDays(): SettledDays {
  return new LRUCache({ max: remembered });
}
