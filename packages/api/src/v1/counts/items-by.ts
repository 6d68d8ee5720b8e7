import { journalSerials } from '@visitor-counter/database/reading/journal-serials';
import type { Reader } from '@visitor-counter/database/reading/snapshot';
import type { StoreFacts } from '@visitor-counter/database/reading/store-facts';
import { nameKey } from '@visitor-counter/domain/name-key';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import type { Bucket } from './buckets.ts';
import type { InOut, StoreCounts } from './count-store.ts';
import { groupSums } from './group-sums.ts';
import { itemsOf } from './series.ts';

/** What was counted in a store, and a week before where that was asked for. */
export interface StoreSeries extends StoreCounts {
  readonly store: StoreFacts;
  readonly buckets: readonly Bucket[];
  readonly earlier?: StoreCounts & { readonly buckets: readonly Bucket[] };
}

/** The items of an answer, by what is asked for; only buckets that have begun by `now` (epoch ms). */
export async function itemsBy(
  db: Reader,
  series: readonly StoreSeries[],
  { by = 'store', group }: { readonly by?: 'store' | 'device' | 'group'; readonly group?: string },
  now: number,
): Promise<object[]> {
  if (by === 'group') return byGroup(series, group, now);
  if (by === 'device') return byDevice(series, await serialsOf(db, series), now);
  return series.flatMap((one) => byStore(one, now));
}

function byStore(series: StoreSeries, now: number): object[] {
  const { store, buckets, counts, earlier } = series;
  const format = zonedFormatter(store.calendar.timeZone);
  const shown = counts.map(({ corrections, ...numbers }) => ({
    ...numbers,
    corrections: corrections.map(({ at, by, people, was }) => ({ at: format(at), by, people, was })),
  }));
  const before = earlier && {
    buckets: earlier.buckets,
    counts: earlier.counts.map(({ corrections: _, ...numbers }) => numbers),
  };
  return itemsOf({ store: store.sid }, { buckets, counts: shown }, before, store, now);
}

function byGroup(series: readonly StoreSeries[], group: string | undefined, now: number): object[] {
  const names = new Set(series.flatMap(({ store }) => store.groups));
  const wanted = [...names].filter((name) => group === undefined || nameKey(name) === nameKey(group)).sort();
  return wanted.flatMap((name) => {
    const members = series.filter(({ store }) => store.groups.includes(name));
    const earlier = members.flatMap((member) => member.earlier ?? []);
    return groupSums(name, members, earlier.length > 0 ? earlier : undefined, now);
  });
}

function byDevice(
  series: readonly StoreSeries[],
  serials: ReadonlyMap<number, string>,
  now: number,
): object[] {
  const found = series.flatMap((one) => {
    const current = ofDevices(one, serials);
    const earlier = one.earlier && ofDevices(one.earlier, serials);
    const devices = new Set([...current.keys(), ...(earlier?.keys() ?? [])]);
    return [...devices].map((device) => ({ one, device, current, earlier }));
  });
  found.sort((a, b) => Buffer.compare(Buffer.from(a.device), Buffer.from(b.device)));
  return found.flatMap(({ one: { store, buckets, earlier: before }, device, current, earlier }) =>
    itemsOf(
      { device, store: store.sid },
      { buckets, counts: current.get(device) ?? none(buckets) },
      before && { buckets: before.buckets, counts: earlier?.get(device) ?? none(before.buckets) },
      store,
      now,
    ),
  );
}

/** A device may have had several journals. */
function ofDevices(
  { buckets, journals }: Pick<StoreSeries, 'buckets' | 'journals'>,
  serials: ReadonlyMap<number, string>,
): ReadonlyMap<string, readonly InOut[]> {
  const devices = new Map<string, InOut[]>();
  for (const [journal, counts] of journals) {
    const serial = serials.get(journal) ?? '';
    const sums = devices.get(serial) ?? none(buckets);
    devices.set(serial, sums);
    for (const [index, sum] of sums.entries()) {
      sum.in += counts[index]?.in ?? 0;
      sum.out += counts[index]?.out ?? 0;
    }
  }
  return devices;
}

function none(buckets: readonly Bucket[]): InOut[] {
  return buckets.map(() => ({ in: 0, out: 0 }));
}

function serialsOf(db: Reader, series: readonly StoreSeries[]): Promise<ReadonlyMap<number, string>> {
  const ids = series.flatMap(({ journals, earlier }) => [
    ...journals.keys(),
    ...(earlier?.journals.keys() ?? []),
  ]);
  return journalSerials(db, [...new Set(ids)]);
}
