import { occupancies } from '@visitor-counter/database/occupancy/occupancies';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { type Store, storesInScope } from '@visitor-counter/database/stores/stores';
import { businessDayOf, onceForEachCalendar } from '@visitor-counter/domain/business-day';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import type { Kysely } from 'kysely';
import Type from 'typebox';
import { type CountEvent, countEvent } from '../../formats/records.ts';
import { accessByToken, operation } from './operation.ts';
import { CompanyName, Token } from './parameters.ts';

export const getAllCountsByCompanyForTodayPublic = operation(
  {
    name: 'GetAllCountsByCompanyForTodayPublic',
    summary: 'Lists the people inside each of a company’s stores now',
    description:
      'One record for each store, by store name: Amount is its occupancy now, DateTime its latest event of the ' +
      'business day, or the beginning of that day if there is none yet.',
    input: Type.Object({ CompanyName, Token }),
    record: countEvent,
    credential: 'counts',
  },
  async function* answer({ database, authorize, stores, now }, call) {
    const access = await accessByToken(authorize, call);
    await using snapshot = await openSnapshot(database);
    const seen = await storesInScope(snapshot.db, access, stores);
    yield await storesToday(snapshot.db, seen, now());
  },
);

/**
 * The latest event of each store's business day, or its start when there is none, and the people inside now. Events
 * after `now` (epoch ms), from a clock that is fast, are not counted yet.
 */
async function storesToday(
  db: Kysely<unknown>,
  stores: readonly Store[],
  now: number,
): Promise<CountEvent[]> {
  const startOf = onceForEachCalendar((calendar) => businessDayOf(now, calendar).start);
  const formatOf = onceForEachCalendar(({ timeZone }) => zonedFormatter(timeZone));
  const days = stores.map(({ id, calendar }) => ({ storeId: id, start: startOf(calendar) }));
  const found = await occupancies(db, days, now);
  return stores.map(({ name, calendar }, index) => {
    const { occupancy = 0, latest = startOf(calendar) } = found[index] ?? {};
    return { DateTime: formatOf(calendar)(latest), StoreName: name, Amount: occupancy };
  });
}
