import { openSnapshot, type Reader } from '@visitor-counter/database/reading/snapshot';
import type { Store } from '@visitor-counter/database/reading/stores';
import type { Direction } from '@visitor-counter/domain/crossing';
import { type DateValues, dateRange, type RangeIn } from '../parameters/date-range.ts';
import type { Parameters } from '../parameters/parameters.ts';
import { countEvents } from './count-events.ts';
import type { CountEvent } from './records.ts';
import type { Resources } from './resources.ts';
import { companyOfToken, type TokenValues } from './token.ts';

/** Which stores a range operation reads, and the one device it is about, where it is about one. */
export interface Selection {
  readonly stores: readonly Store[];
  readonly deviceId?: number;
}

/** Finds the selection within the company. Throws a Problem for a name that is not the company's. */
export type Select<Values> = (db: Reader, companyId: number, values: Values) => Promise<Selection>;

/** The parameters that the three range operations have in common. */
interface RangeValues extends TokenValues, DateValues {
  readonly In?: boolean;
}

/**
 * What the three range operations share: the credential before the values, the values before anything that
 * the company owns; then one consistent view of the database, the stores one after another.
 */
export async function* exportCounts<Values extends RangeValues>(
  { database, authorize, exports }: Resources,
  parameters: Parameters<Values>,
  select: Select<Values>,
): AsyncGenerator<readonly CountEvent[], void> {
  const companyId = await companyOfToken(authorize, parameters);
  const values = parameters.values();
  const rangeIn = dateRange(values);
  const direction = directionOf(values.In);
  using _slot = await exports.take();
  await using snapshot = await openSnapshot(database);
  const { stores, deviceId } = await select(snapshot.db, companyId, values);
  for (const { store, range } of withRanges(stores, rangeIn)) {
    yield* countEvents(snapshot.db, store, range, { deviceId, direction });
  }
}

/** All ranges before the first record: one that is impossible in any store is an error of the request. */
function withRanges(stores: readonly Store[], rangeIn: RangeIn) {
  const ranges = new Map<string, ReturnType<RangeIn>>();
  return stores.map((store) => {
    const key = `${store.calendar.timeZone} ${store.calendar.dayStartsAt}`;
    const range = ranges.get(key) ?? rangeIn(store.calendar);
    ranges.set(key, range);
    return { store, range };
  });
}

function directionOf(isIn: boolean | undefined): Direction | undefined {
  if (isIn === undefined) return undefined;
  return isIn ? 1 : -1;
}
