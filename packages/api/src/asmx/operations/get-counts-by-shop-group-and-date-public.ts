import { storesOfShopGroup } from '@visitor-counter/database/stores/stores';
import { nameKey } from '@visitor-counter/domain/name-key';
import Type from 'typebox';
import { countEvent } from '../../formats/records.ts';
import { Problem } from '../../problems/problems.ts';
import { exportCounts } from './export-counts.ts';
import type { Resources } from './operation.ts';
import { type Operation, operation } from './operation.ts';
import { CompanyName, DateFrom, DateTo, In, ShopGroupName, Token } from './parameters.ts';

export const description = {
  name: 'GetCountsByShopGroupAndDatePublic',
  summary: 'Lists the events of a shop group’s stores in a range',
  description: 'All events of all devices in the stores of a shop group, by store name, then time.',
  input: Type.Object({ Token, CompanyName, ShopGroupName, DateFrom, DateTo, In: Type.Optional(In) }),
  record: countEvent,
  credential: 'counts',
} as const;

export function getCountsByShopGroupAndDatePublic(resources: Resources): Operation {
  return operation(description, {
    answer: (call) =>
      exportCounts(resources, call, async (db, sight, { ShopGroupName }) => {
        const stores = await storesOfShopGroup(db, sight, nameKey(ShopGroupName));
        if (stores === undefined) throw new Problem('unknown_shop_group');
        return { stores };
      }),
  });
}
