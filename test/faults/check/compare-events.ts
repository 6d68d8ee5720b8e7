import type { CountEvent } from '@visitor-counter/test/count-events';
import type { ExpectedEvent } from '../truth/expected-events.ts';

/** What the public interface says, held against the truth. */
export interface Published {
  readonly events: number;
  /** Events that it does not tell. */
  readonly lost: number;
  /** Events that it tells although they are not so, or are told already. */
  readonly doubled: number;
  /** Events with another amount than the one counted by hand, or out of order. */
  readonly wrong: number;
}

/** Holds an answer against what it should be; both by store, then by time. */
export function compareEvents(expected: readonly ExpectedEvent[], events: readonly CountEvent[]): Published {
  const open = new Map<string, number>();
  for (const { store, at } of expected) count(open, `${store} ${at}`, 1);
  for (const { StoreName, DateTime } of events) count(open, `${StoreName} ${Date.parse(DateTime)}`, -1);
  const differences = [...open.values()];
  const wrong = expected.filter(({ at, amount, store }, index) => {
    const told = events[index];
    return told?.Amount !== amount || told.StoreName !== store || Date.parse(told.DateTime) !== at;
  });
  return {
    events: events.length,
    lost: differences.reduce((sum, difference) => sum + Math.max(0, difference), 0),
    doubled: differences.reduce((sum, difference) => sum + Math.max(0, -difference), 0),
    wrong: wrong.length,
  };
}

function count(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
