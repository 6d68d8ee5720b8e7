import { journalsOfDevice } from '@visitor-counter/database/crossings/crossings';
import { correctionsInForce } from '@visitor-counter/database/occupancy/corrections-in-force';
import { onKysely } from '@visitor-counter/database/sql/run-statement';
import { openSnapshot, type Reader } from '@visitor-counter/database/sql/snapshot';
import type { Sight } from '@visitor-counter/database/stores/store-facts';
import type { Store } from '@visitor-counter/database/stores/stores';
import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import { businessDays } from '@visitor-counter/domain/business-day';
import type { Direction } from '@visitor-counter/domain/crossing';
import type { EventColumns } from '../../formats/event-columns.ts';
import { type DateValues, dateRange, type RangeIn, requireOrder } from '../parameters/date-range.ts';
import { countEvents, type StoreRange } from './count-events.ts';
import type { ReadCall } from './operation.ts';
import type { Resources } from './resources.ts';
import { accessByToken, type TokenValues } from './token.ts';
import { whileOpen } from './while-open.ts';

/** Which stores a range operation reads, and the one device it is about, where it is about one. */
export interface Selection {
  readonly stores: readonly Store[];
  readonly deviceId?: number;
}

/** Finds the selection within what the caller sees. Throws a Problem for a name that they do not. */
export type Select<Values> = (db: Reader, sight: Sight, values: Values) => Promise<Selection>;

/** The parameters that the three range operations have in common. */
interface RangeValues extends TokenValues, DateValues {
  readonly In?: boolean;
}

/**
 * What the three range operations share: the credential before the values, the values before anything that
 * the company owns; then one consistent view of the database, the stores one after another.
 */
export async function* exportCounts<Values extends RangeValues>(
  { database, authorize, exports, now }: Resources,
  call: ReadCall<Values>,
  select: Select<Values>,
): AsyncGenerator<EventColumns, void> {
  const { parameters, signal } = call;
  const access = await accessByToken(authorize, call);
  const values = parameters.values();
  const rangeIn = dateRange(values);
  const direction = directionOf(values.In);
  using _slot = await exports.take(access, signal);
  await using snapshot = await openSnapshot(database, signal);
  const { stores, deviceId } = await select(snapshot.db, access, values);
  const ranges = await corrected(snapshot.db, storeRanges(stores, rangeIn));
  const journals = deviceId === undefined ? undefined : await journalsOfDevice(snapshot.db, deviceId);
  yield* whileOpen(countEvents(snapshot, ranges, { journals, direction }), access, now);
}

/** All ranges before the first record: one that is impossible in every store is an error of the request. */
function storeRanges(stores: readonly Store[], rangeIn: RangeIn): UncorrectedRange[] {
  const known = new Map<string, RangeOfCalendar>();
  const ranges = stores.map((store) => {
    const key = `${store.calendar.timeZone} ${store.calendar.dayStartsAt}`;
    const range = known.get(key) ?? rangeOfCalendar(store.calendar, rangeIn);
    known.set(key, range);
    return { ...range, store, storeId: store.id };
  });
  requireOrder(ranges.map(({ since, to }) => ({ from: since, to })));
  return ranges.filter(({ since, to }) => to > since);
}

type UncorrectedRange = Omit<StoreRange, 'corrections'>;
type RangeOfCalendar = Omit<UncorrectedRange, 'store' | 'storeId'>;

/** Most stores of a company share one calendar, and calendars are slow. */
function rangeOfCalendar(calendar: BusinessCalendar, rangeIn: RangeIn): RangeOfCalendar {
  const { from: since, to } = rangeIn(calendar);
  const dayOf = businessDays(calendar);
  return { since, from: dayOf(since).start, to, dayOf };
}

/** All corrections at once: they are few, and the connection is busy once crossings are read. */
async function corrected(db: Reader, ranges: readonly UncorrectedRange[]): Promise<StoreRange[]> {
  const corrections = await correctionsInForce(onKysely(db), ranges);
  return ranges.map((range, index) => ({ ...range, corrections: corrections[index] ?? [] }));
}

function directionOf(isIn: boolean | undefined): Direction | undefined {
  if (isIn === undefined) return undefined;
  return isIn ? 1 : -1;
}
