import { openSnapshot } from '@visitor-counter/database/reading/snapshot';
import { storesOfCompany } from '@visitor-counter/database/reading/stores';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import { type CountEvent, countEvent, type Operation } from './operation.ts';
import type { Resources } from './resources.ts';
import { storesToday } from './stores-today.ts';
import { companyOfToken, tokenParameters } from './token.ts';

/** The people in each of the company's stores now, by store name. */
export function getAllCountsByCompanyForTodayPublic({ database, authorize, now }: Resources): Operation {
  return {
    name: 'GetAllCountsByCompanyForTodayPublic',
    record: countEvent,
    parameters: { required: tokenParameters, optional: [] },
    async *answer({ parameters }) {
      const companyId = await companyOfToken(authorize, parameters);
      await using snapshot = await openSnapshot(database);
      const stores = await storesOfCompany(snapshot.db, companyId);
      const today = await storesToday(snapshot.db, stores, now());
      yield today.map(
        ({ store, occupancy, lastChange }): CountEvent => ({
          DateTime: zonedFormatter(store.calendar.timeZone)(lastChange),
          StoreName: store.name,
          Amount: occupancy,
        }),
      );
    },
  };
}
