import type { Store } from './store.ts';
import type { StoredJournal } from './stored-journal.ts';

/** Crossings that are read at a time. */
const chunk = 500;

/**
 * Removes acknowledged crossings that are `keepFor` ms older than the newest one, then the oldest ones while the database
 * is larger than `keepWithin`. The clock of a unit may be wrong by any amount, but instants of crossings are right.
 */
export function removeExpired(store: Store, keepFor: number, keepWithin: number): void {
  const newest = Math.max(store.recordedAt, ...store.all.map(({ acknowledgedAt }) => acknowledgedAt));
  for (const journal of store.all)
    for (;;) {
      const last = lastRemovable(journal);
      const isExpired = ({ sequence, at }: { readonly sequence: number; readonly at: number }) =>
        sequence <= last && at <= newest - keepFor;
      const expired = store.read(journal.name, 1, chunk).findLast(isExpired);
      if (!expired) break;
      store.remove(journal, expired.sequence);
    }
  while (store.bytes > keepWithin && removeOldest(store));
}

/** Removes the older half of the acknowledged crossings of a journal; returns whether there were any. */
export function removeOldest(store: Store): boolean {
  for (const journal of store.all) {
    const [first] = store.read(journal.name, 1, 1);
    const last = lastRemovable(journal);
    if (!first || first.sequence > last) continue;
    store.remove(journal, Math.floor((first.sequence + last) / 2));
    return true;
  }
  return false;
}

/** Not the last one of the present journal: a source that plays people again continues after its instant. */
function lastRemovable({ ended, acknowledged, recorded }: StoredJournal): number {
  return ended ? acknowledged : Math.min(acknowledged, recorded - 1);
}
