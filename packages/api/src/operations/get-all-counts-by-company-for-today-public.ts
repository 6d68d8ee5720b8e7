import { openSnapshot } from '@visitor-counter/database/reading/snapshot';
import { storesOfCompany } from '@visitor-counter/database/reading/stores';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import type { CountEvent, Operation } from './operation.ts';
import type { Resources } from './resources.ts';
import { storeToday } from './store-today.ts';
import { companyOfToken, tokenParameters } from './token.ts';

/** The people in each of the company's stores now, by store name. */
export function getAllCountsByCompanyForTodayPublic({ database, authorize, now }: Resources): Operation {
  return {
    name: 'GetAllCountsByCompanyForTodayPublic',
    parameters: { required: tokenParameters, optional: [] },
    async *answer({ parameters }) {
      const companyId = await companyOfToken(authorize, parameters);
      await using snapshot = await openSnapshot(database);
      const at = now();
      for (const store of await storesOfCompany(snapshot.db, companyId)) {
        const today = await storeToday(snapshot.db, store, at);
        const record: CountEvent = {
          DateTime: zonedFormatter(store.calendar.timeZone)(today.lastChange),
          StoreName: store.name,
          Amount: today.occupancy,
        };
        yield [record];
      }
    },
  };
}
