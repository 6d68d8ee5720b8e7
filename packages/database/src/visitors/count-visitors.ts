import { onceForEachCalendar } from '@visitor-counter/domain/business-day';
import { staffPassagesOn, staffPeopleOn, withoutStaff } from '@visitor-counter/domain/staff-plan';
import { countStores, type EntriesAndExits } from '../occupancy/count-stores.ts';
import type { Db } from '../sql/query-builder.ts';
import { type Staff, staffOf } from '../stores/hours-and-staff.ts';
import type { StoreFacts } from '../stores/store-facts.ts';
import { type Cells, presentDay } from './plan.ts';

/** What a store has counted in the counted cells, and how many of the entries were visitors. */
interface CountedVisitors {
  readonly counts: EntriesAndExits;
  readonly visitors: readonly number[];
}

/** The entries, exits and visitors of stores, each in its cells. */
export async function countVisitors(
  db: Db,
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
    const visitors = own && declared ? visitorsOf(store, counted.entries, own, declared) : counted.entries;
    return { counts: counted, visitors };
  });
}

/** Entries and exits since the business day began, and how many of the entries were visitors. */
export interface Today {
  readonly in: number;
  readonly out: number;
  readonly visitors: number;
}

/** What stores have counted in their present business day until `now` (epoch ms), in their order. `db` must be a snapshot. */
export async function readToday(db: Db, stores: readonly StoreFacts[], now: number): Promise<Today[]> {
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
  const visitors: number[] = [];
  let tapped = passages.findIndex(({ at }) => at >= (starts[0] ?? to));
  for (const [date, cells] of Map.groupBy(starts.keys(), (cell) => all[cell]?.date ?? '')) {
    const [first = 0, last = first] = [cells[0], cells.at(-1)];
    const [from, end] = [starts[first] ?? to, starts[last + 1] ?? to];
    const isWhole = first === last && end === all[first]?.to;
    const came = isWhole
      ? [{ at: from, people: staffPeopleOn(plans, date) }]
      : staffPassagesOn(plans, calendar, date).filter(({ at }) => at < end);
    for (let one = passages[tapped]; one && one.at < end; one = passages[tapped]) {
      came.push(one);
      tapped += 1;
    }
    const staff = cells.map(() => 0);
    for (const { at, people } of came) {
      const index = Math.max(
        0,
        cells.findLastIndex((cell) => (starts[cell] ?? to) <= at),
      );
      staff[index] = (staff[index] ?? 0) + people;
    }
    visitors.push(...withoutStaff(entries.slice(first, last + 1), staff));
  }
  return visitors;
}
