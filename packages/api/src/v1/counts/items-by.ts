import { nameKey } from '@visitor-counter/domain/name-key';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import type { BucketCounts } from './bucket-fold.ts';
import { type InOut, noCounts } from './count-crossings.ts';
import { groupSums } from './group-sums.ts';
import { itemsOf, type StoreSeries } from './read-series.ts';

/* Every list has only the buckets that have begun by `now` (epoch ms). */

/** The items of stores. */
export function itemsByStore(
  series: readonly StoreSeries<readonly BucketCounts[]>[],
  now: number,
): readonly object[] {
  return series.flatMap((one) => itemsOfStore(one, now));
}

function itemsOfStore(series: StoreSeries<readonly BucketCounts[]>, now: number): object[] {
  const { store, buckets, counts, earlier } = series;
  const format = zonedFormatter(store.calendar.timeZone);
  const formatted = counts.map(({ corrections, ...numbers }) => ({
    ...numbers,
    corrections: corrections.map(({ at, by, people, was }) => ({ at: format(at), by, people, was })),
  }));
  const before = earlier && {
    buckets: earlier.buckets,
    counts: earlier.counts.map(({ corrections: _, ...numbers }) => numbers),
  };
  return itemsOf({ store: store.sid }, { buckets, counts: formatted }, before, store, now);
}

/** The items of the shop groups that the stores are in, or of `group` alone. */
export function itemsByGroup(
  series: readonly StoreSeries<readonly BucketCounts[]>[],
  group: string | undefined,
  now: number,
): readonly object[] {
  const names = new Set(series.flatMap(({ store }) => store.groups));
  const wanted = [...names].filter((name) => group === undefined || nameKey(name) === nameKey(group)).sort();
  return wanted.flatMap((name) => {
    const members = series.filter(({ store }) => store.groups.includes(name));
    const earlier = members.flatMap((member) => member.earlier ?? []);
    return groupSums(name, members, earlier.length > 0 ? earlier : undefined, now);
  });
}

/** The items of the devices that counted anything, by serial number. */
export function itemsByDevice(
  series: readonly StoreSeries<ReadonlyMap<string, readonly InOut[]>>[],
  now: number,
): readonly object[] {
  const found = series.flatMap((one) => {
    const devices = new Set([...one.counts.keys(), ...(one.earlier?.counts.keys() ?? [])]);
    return [...devices].map((device) => ({ ...one, device }));
  });
  found.sort((a, b) => Buffer.compare(Buffer.from(a.device), Buffer.from(b.device)));
  return found.flatMap(({ store, device, buckets, counts, earlier }) =>
    itemsOf(
      { device, store: store.sid },
      { buckets, counts: counts.get(device) ?? noCounts(buckets) },
      earlier && {
        buckets: earlier.buckets,
        counts: earlier.counts.get(device) ?? noCounts(earlier.buckets),
      },
      store,
      now,
    ),
  );
}
