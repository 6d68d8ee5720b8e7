import { type QuietDoor, quietDoors, sameQuarters } from '@visitor-counter/database/alerts/recent-counts';
import type { RuledStore, StoreFinding } from '@visitor-counter/database/alerts/store-findings';
import { completenessOfDevice } from '@visitor-counter/database/devices/completeness';
import { deviceFacts } from '@visitor-counter/database/devices/device-facts';
import { quarterLength, quarterOf, startOfQuarter } from '@visitor-counter/database/occupancy/quarter';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import { openingHoursOf } from '@visitor-counter/database/stores/hours-and-staff';
import { type OpeningHours, openBetween } from '@visitor-counter/domain/opening-hours';
import { longestSilence, silenceOf, weeksCompared } from '@visitor-counter/domain/silence';
import { type OffsetPeriod, offsetPeriodAt } from '@visitor-counter/domain/time-zone';

/**
 * Doors that nobody passes although the store is open and many people usually pass at that time. The time of
 * the rule is the shortest silence that counts. A door is judged up to the instant until which its unit has delivered
 * everything: other alerts report what is missing.
 */
export async function silentDoors(
  db: Db,
  stores: readonly RuledStore[],
  now: number,
): Promise<StoreFinding[]> {
  const byId = new Map(stores.map((store) => [store.storeId, store]));
  const shortest = Math.min(...stores.map(({ after }) => after));
  const quiet = await quietDoors(db, [...byId.keys()], {
    since: now - Math.max(shortest, quarterLength),
    now,
    weeks: weeksCompared + 1,
  });
  if (quiet.length === 0) return [];
  const known = await deliveredUntil(db, [...new Set(quiet.map(({ storeId }) => storeId))], now);
  const doors = quiet.filter(({ deviceId }) => known.has(deviceId));
  const end = quarterOf(now);
  const from = end - longestSilence;
  const counts = Map.groupBy(
    await sameQuarters(
      db,
      doors.map((door) => ({ ...door, from: door.last ?? from })),
      end,
      weeksCompared,
    ),
    ({ deviceId }) => deviceId,
  );
  const hours = await openingHoursOf(db, [...byId.keys()]);
  return doors.flatMap((door): StoreFinding[] => {
    const store = byId.get(door.storeId);
    if (store === undefined) return [];
    const counted = new Map(counts.get(door.deviceId)?.map((one) => [one.quarter, one.count]));
    const until = known.get(door.deviceId) ?? now;
    const silence = silenceIn(door, store, hours.get(door.storeId) ?? null, counted, until);
    if (silence === undefined) return [];
    const { storeId, deviceId } = door;
    const { since, missed } = silence;
    return [{ storeId, kind: 'silent-while-open', deviceId, since, about: { missed } }];
  });
}

/** Until when (epoch ms) the unit of each door has delivered everything; doors for which that is not known are left out. */
async function deliveredUntil(
  db: Db,
  storeIds: readonly number[],
  now: number,
): Promise<ReadonlyMap<number, number>> {
  const devices = await deviceFacts(db, storeIds, now);
  return new Map(
    devices.flatMap((device) => {
      const { deliveredUntil: until } = completenessOfDevice(device, now);
      return until === null ? [] : [[device.id, until] as const];
    }),
  );
}

/** The silence of a door, in local time, so that weeks before and after a change of the clocks compare. */
function silenceIn(
  { first, last }: QuietDoor,
  { timeZone, after }: RuledStore,
  hours: OpeningHours | null,
  counted: ReadonlyMap<number, number>,
  until: number,
) {
  const local = localQuarters(timeZone);
  const localCounts = new Map<number, number>();
  for (const [quarter, count] of counted) {
    const localQuarter = local(quarter);
    localCounts.set(localQuarter, (localCounts.get(localQuarter) ?? 0) + count);
  }
  const end = quarterOf(until);
  const begin = last ?? end - longestSilence;
  /* The quarter hour in UTC of each local one; of one that comes twice, the later. */
  const inUtc = new Map(
    Array.from({ length: Math.max(0, end - begin) }, (_, index) => [local(begin + index), begin + index]),
  );
  const open = openBetween(hours, { timeZone }, startOfQuarter(begin), startOfQuarter(end));
  const isOpen = (localQuarter: number) => {
    const start = startOfQuarter(inUtc.get(localQuarter) ?? Number.NaN);
    return open.some(({ from, to }) => from <= start && start + quarterLength <= to);
  };
  const door = {
    isOpen,
    first: local(first),
    end: local(end - 1) + 1,
    countIn: (localQuarter: number) => localCounts.get(localQuarter) ?? 0,
  };
  const silence = silenceOf(door, Math.ceil(after / quarterLength));
  const since = inUtc.get(silence?.since ?? Number.NaN);
  return silence && since !== undefined ? { ...silence, since: startOfQuarter(since) } : undefined;
}

/** Returns a function that converts the number of a quarter hour in UTC to that of local time. */
function localQuarters(timeZone: string): (quarter: number) => number {
  let period: OffsetPeriod = { from: 0, until: 0, offset: 0 };
  return (number) => {
    const at = startOfQuarter(number);
    if (at < period.from || at >= period.until) period = offsetPeriodAt(at, timeZone);
    return quarterOf(at + period.offset);
  };
}
