import type { EpochMs } from '@visitor-counter/domain/time';
import { firstSequence } from './crossings.ts';
import { pageSize } from './database.ts';
import type { Store } from './store.ts';
import { type StoredJournal, storeJournal } from './stored-journal.ts';

/**
 * Removes acknowledged crossings that are `keepFor` ms older than the newest one, then the oldest ones while the database
 * is larger than `keepWithin`. The clock of a unit may be wrong by any amount, but instants of crossings are right.
 */
export function removeExpired(store: Store, keepFor: number, keepWithin: number): void {
  const newest = Math.max(store.current.recordedAt, ...store.all.map(({ acknowledgedAt }) => acknowledgedAt));
  for (const journal of store.all) {
    const last = Math.min(lastRemovable(journal), lastUntil(store, journal, newest - keepFor));
    if (firstSequence(store.database, journal) <= last) remove(store, journal, last);
  }
  while (bytesOf(store) > keepWithin && removeOldest(store));
}

/** Removes the older half of the acknowledged crossings of a journal; returns whether there were any. */
export function removeOldest(store: Store): boolean {
  for (const journal of store.all) {
    const [first, last] = [firstSequence(store.database, journal), lastRemovable(journal)];
    if (first > last) continue;
    remove(store, journal, Math.floor((first + last) / 2));
    return true;
  }
  return false;
}

/** How many bytes the rows use; the database uses freed pages again. */
export function bytesOf({ database }: Store): number {
  const pages = (name: string) => Number(database.value(`pragma ${name}`));
  return (pages('page_count') - pages('freelist_count')) * pageSize;
}

/** Not the last one of the present journal: a source that plays people again continues after its instant. */
function lastRemovable({ ended, acknowledged, recorded }: StoredJournal): number {
  return ended ? acknowledged : Math.min(acknowledged, recorded - 1);
}

/** The last sequence before the first crossing that is later than `at`, or has no instant yet. */
function lastUntil({ database }: Store, { name, recorded }: StoredJournal, at: EpochMs): number {
  const sql = `select sequence from crossing where journal = ?
    and not coalesce(at <= ?, moment + (select begin from boot where id = crossing.boot) <= ?, false)
    order by sequence limit 1`;
  return Number(database.value(sql, name, at, at) ?? recorded + 1) - 1;
}

/** Removes crossings up to a sequence, and a journal that has ended and of which nothing remains. */
function remove(store: Store, journal: StoredJournal, through: number): void {
  const { name, id, ended, recorded, lost } = journal;
  const isEmpty = ended && through >= recorded && lost.length === 0;
  const { database } = store;
  database.transaction(() => {
    /* With its position: after a restart, nothing that is removed may seem to be pending. */
    storeJournal(database, journal);
    database.statement('delete from crossing where journal = ? and sequence <= ?').run(name, through);
    if (isEmpty) database.statement('delete from journal where id = ?').run(id);
  });
  if (isEmpty) store.forget(journal);
}
