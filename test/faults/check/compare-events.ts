import type { CountEvent } from '@visitor-counter/test/count-events';
import type { ExpectedEvent } from '../truth/expected-events.ts';

/** The differences between the public interface and the truth. */
export interface Published {
  readonly events: number;
  /** Missing events. */
  readonly lost: number;
  /** Events that did not happen, or are repeated. */
  readonly doubled: number;
  /** Events with a wrong amount, or out of order. */
  readonly wrong: number;
}

/** Compares an answer with the expected one; both by store, then by time. */
export function compareEvents(expected: readonly ExpectedEvent[], events: readonly CountEvent[]): Published {
  const open = new Map<string, number>();
  for (const { store, at } of expected) count(open, `${store} ${at}`, 1);
  for (const { StoreName, DateTime } of events) count(open, `${StoreName} ${Date.parse(DateTime)}`, -1);
  const differences = [...open.values()];
  const wrong = expected.filter(({ at, amount, store }, index) => {
    const event = events[index];
    return event?.Amount !== amount || event.StoreName !== store || Date.parse(event.DateTime) !== at;
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
