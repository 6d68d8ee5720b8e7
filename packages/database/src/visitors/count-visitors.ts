import { onceForEachCalendar } from '@visitor-counter/domain/business-day';
import { staffPassagesOn, staffPeopleOn, withoutStaff } from '@visitor-counter/domain/staff-plan';
import type { Kysely } from 'kysely';
import { countStores, type EntriesAndExits } from '../occupancy/count-stores.ts';
import { type Staff, staffOf } from '../settings/staff-plans.ts';
import type { DB } from '../sql/schema.ts';
import type { StoreFacts } from '../stores/stores.ts';
import { type Cells, presentDay } from './plan.ts';

/** What a store has counted in the counted cells, and how many of the entries were visitors. */
interface CountedVisitors {
  readonly counts: EntriesAndExits;
  readonly visitors: readonly number[];
}

/** The entries, exits and visitors of stores, each in its cells. */
export async function countVisitors(
  db: Kysely<DB>,
  stores: readonly StoreFacts[],
  cells: readonly Cells[],
): Promise<CountedVisitors[]> {
  const wanted = stores.flatMap(({ id }, index) => {
    const own = cells[index];
    return own ? [{ storeId: id, ...own }] : [];
  });
  const counts = await countStores(db, wanted);
  const ids = stores.map(({ id }) => id);
  const from = Math.min(...wanted.map(({ starts, to }) => starts[0] ?? to));
  const staff = await staffOf(db, ids, from, Math.max(...wanted.map(({ to }) => to)));
  return counts.map((counted, index) => {
    const [store, own] = [stores[index], cells[index]];
    const declared = store && staff.get(store.id);
    if (store === undefined || own === undefined || declared === undefined)
      return { counts: counted, visitors: counted.entries };
    return { counts: counted, visitors: visitorsOf(store, counted.entries, own, declared) };
  });
}

/** Entries and exits since the business day began, and how many of the entries were visitors. */
export interface Today {
  readonly in: number;
  readonly out: number;
  readonly visitors: number;
}

/** What stores have counted in their present business day until `now` (epoch ms), in their order. `db` must be a snapshot. */
export async function readToday(
  db: Kysely<DB>,
  stores: readonly StoreFacts[],
  now: number,
): Promise<Today[]> {
  const dayOf = onceForEachCalendar((calendar) => presentDay(calendar, now));
  const days = stores.map(({ calendar }) => dayOf(calendar));
  const counted = await countVisitors(db, stores, days);
  return counted.map(({ counts, visitors }) => {
    return { in: counts.entries[0] ?? 0, out: counts.exits[0] ?? 0, visitors: visitors[0] ?? 0 };
  });
}

/** The visitors in the counted cells; each business day for itself. */
function visitorsOf(
  { calendar }: StoreFacts,
  entries: readonly number[],
  { all, starts, to }: Cells,
  { plans, passages }: Staff,
): number[] {
  const staff = starts.map(() => 0);
  const add = (cell: number, people: number) => {
    staff[cell] = (staff[cell] ?? 0) + people;
  };
  const visitors: number[] = [];
  let tapped = passages.findIndex(({ at }) => at >= (starts[0] ?? to));
  if (tapped < 0) tapped = passages.length;
  for (let first = 0; first < starts.length; ) {
    let next = first + 1;
    while (next < starts.length && all[next]?.date === all[first]?.date) next += 1;
    const end = starts[next] ?? to;
    const cellAt = (at: number) => {
      let cell = first;
      while (cell + 1 < next && (starts[cell + 1] ?? to) <= at) cell += 1;
      return cell;
    };
    const date = all[first]?.date ?? '';
    const isWhole = next === first + 1 && end === all[first]?.to;
    if (isWhole) add(first, staffPeopleOn(plans, date));
    else
      for (const { at, people } of staffPassagesOn(plans, calendar, date))
        if (at < end) add(cellAt(at), people);
    for (let one = passages[tapped]; one !== undefined && one.at < end; one = passages[tapped]) {
      add(cellAt(one.at), one.people);
      tapped += 1;
    }
    visitors.push(...withoutStaff(entries.slice(first, next), staff.slice(first, next)));
    first = next;
  }
  return visitors;
}
