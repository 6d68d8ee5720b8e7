import { journalsOfDevice } from '@visitor-counter/database/crossings/crossings';
import { correctionsInForce } from '@visitor-counter/database/occupancy/fold';
import { keptFrom } from '@visitor-counter/database/retention/retention';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import type { StoreScope } from '@visitor-counter/database/stores/store-facts';
import { findDevice, type Store, storesOfDevice } from '@visitor-counter/database/stores/stores';
import { businessDays, firstWholeDay, onceForEachCalendar } from '@visitor-counter/domain/business-day';
import type { Direction } from '@visitor-counter/domain/crossing';
import { nameKey } from '@visitor-counter/domain/name-key';
import type { EventColumns } from '../../formats/records.ts';
import { daysRemoved, Problem } from '../../problems/problems.ts';
import type { Resources } from '../../resources.ts';
import { countEvents, type EventRange } from './count-events.ts';
import { type DateValues, dateRange, type RangeIn, requireOrderInSome } from './date-range.ts';
import { accessByToken, type Call, type TokenValues } from './operation.ts';

/** The stores that a range operation reads, and the device if it reads only one. */
interface Selection {
  readonly stores: readonly Store[];
  readonly deviceId?: number;
}

/** The parameters that the three range operations have in common. */
interface RangeValues extends TokenValues, DateValues {
  readonly In?: boolean;
}

/**
 * The common part of the three range operations. Checks the credential first, then the parameters, and then the names
 * of the company's shop groups and devices. Reads the crossings of one store after another in one snapshot, and not the
 * occupancy projection. `select` finds what the parameters name, and throws a Problem for a name that the caller may not see.
 */
export async function* exportCounts<Values extends RangeValues>(
  { snapshots, callers, exports }: Resources,
  call: Call<Values>,
  select: (db: Db, scope: StoreScope, values: Values) => Promise<Selection>,
): AsyncGenerator<EventColumns, void> {
  const { parameters, signal } = call;
  const access = await accessByToken(callers, call);
  const values = parameters.values();
  const rangeIn = dateRange(values);
  const direction = directionOf(values.In);
  using _place = await exports.acquire(access.companyId, signal);
  await using snapshot = await snapshots.open(signal);
  const { stores, deviceId } = await select(snapshot.db, access, values);
  const uncorrected = storeRanges(stores, values, rangeIn);
  requireKept(uncorrected, await keptFrom(snapshot.db, access));
  /* All corrections first: they are few, and the connection is busy while crossings are read. */
  const corrections = await correctionsInForce(snapshot.db, uncorrected);
  const ranges = uncorrected.map((range, index) => ({ ...range, corrections: corrections[index] ?? [] }));
  const journals = deviceId === undefined ? undefined : await journalsOfDevice(snapshot.db, deviceId);
  yield* countEvents(snapshot, ranges, { journals, direction });
}

/**
 * Determines all ranges before the first record, because a range that is impossible in every store is an error of the
 * request.
 */
function storeRanges(stores: readonly Store[], values: DateValues, rangeIn: RangeIn): UncorrectedRange[] {
  const rangeOf = onceForEachCalendar((calendar) => {
    const { from: since, to } = rangeIn(calendar);
    const dayOf = businessDays(calendar);
    return { since, from: dayOf(since).start, to, dayOf };
  });
  const ranges = stores.map((store) => ({ ...rangeOf(store.calendar), store, storeId: store.id }));
  requireOrderInSome(
    ranges.map(({ since, to }) => ({ from: since, to })),
    values,
  );
  return ranges.filter(({ since, to }) => to > since);
}

type UncorrectedRange = Omit<EventRange, 'corrections'>;

/**
 * Throws `crossings_removed` if the amounts of a range depend on crossings before `before` (epoch ms): on those from the
 * start of its first business day on.
 */
function requireKept(ranges: readonly UncorrectedRange[], before: number): void {
  const removed = ranges.filter(({ from }) => from < before);
  if (removed.length === 0) return;
  const dates = removed.map(({ store }) => firstWholeDay(before, store.calendar));
  throw daysRemoved(dates.sort().at(-1) ?? '');
}

function directionOf(isIn: boolean | undefined): Direction | undefined {
  if (isIn === undefined) return undefined;
  return isIn ? 1 : -1;
}

/**
 * Selects a device, and those stores that it was ever in and that the caller may see. Throws `unknown_serial_number`.
 */
export async function selectDevice(db: Db, scope: StoreScope, serialNumber: string): Promise<Selection> {
  const deviceId = await findDevice(db, scope.companyId, nameKey(serialNumber));
  if (deviceId === undefined) throw new Problem('unknown_serial_number');
  const stores = await storesOfDevice(db, scope, deviceId);
  if (stores.length === 0) throw new Problem('unknown_serial_number');
  return { stores, deviceId };
}
