import { storesOfShopGroup } from '@visitor-counter/database/reading/stores';
import { nameKey } from '@visitor-counter/domain/name-key';
import { unknownShopGroup } from '../problems.ts';
import { exportCounts } from './export-counts.ts';
import { countEvent, type Operation } from './operation.ts';
import type { Resources } from './resources.ts';
import { tokenParameters } from './token.ts';

/** All events of the stores of a shop group in a range. */
export function getCountsByShopGroupAndDatePublic(resources: Resources): Operation {
  return {
    name: 'GetCountsByShopGroupAndDatePublic',
    record: countEvent,
    parameters: { required: [...tokenParameters, 'ShopGroupName', 'DateFrom', 'DateTo'], optional: ['In'] },
    answer: ({ parameters }) =>
      exportCounts(resources, parameters, async (db, companyId) => {
        const stores = await storesOfShopGroup(db, companyId, nameKey(parameters.text('ShopGroupName')));
        if (stores === undefined) throw unknownShopGroup();
        return { stores };
      }),
  };
}
