import { storesInScope, storesOfShopGroup } from '@visitor-counter/database/stores/stores';
import { nameKey } from '@visitor-counter/domain/name-key';
import Type from 'typebox';
import { countEvent } from '../../formats/records.ts';
import { Problem } from '../../problems/problems.ts';
import { exportCounts, selectDevice } from './export-counts.ts';
import { operation } from './operation.ts';
import { CompanyName, DateFrom, DateTo, In, SerialNumber, ShopGroupName, Token } from './parameters.ts';

const range = { DateFrom, DateTo, In: Type.Optional(In) };
const events = { record: countEvent, credential: 'counts' } as const;

export const getCountsByShopGroupAndDatePublic = operation(
  {
    name: 'GetCountsByShopGroupAndDatePublic',
    summary: 'Lists the events of a shop group’s stores in a range',
    description: 'All events of all devices in the stores of a shop group, by store name, then time.',
    input: Type.Object({ Token, CompanyName, ShopGroupName, ...range }),
    ...events,
  },
  (resources, call) =>
    exportCounts(resources, call, async (db, scope, { ShopGroupName }) => {
      const stores = await storesOfShopGroup(db, scope, nameKey(ShopGroupName));
      if (stores === undefined) throw new Problem('unknown_shop_group');
      return { stores };
    }),
);

export const getCountsBySerialNumberAndDatePublic = operation(
  {
    name: 'GetCountsBySerialNumberAndDatePublic',
    summary: 'Lists the events of one device in a range',
    description:
      'All events of one device, each in the store that the device was in at that time; by store name, then time. ' +
      'Amount counts all devices of that store.',
    input: Type.Object({ Token, CompanyName, SerialNumber, ...range }),
    ...events,
  },
  (resources, call) =>
    exportCounts(resources, call, (db, scope, { SerialNumber }) => selectDevice(db, scope, SerialNumber)),
);

export const getCountsByCompanyAndDatePublic = operation(
  {
    name: 'GetCountsByCompanyAndDatePublic',
    summary: 'Lists the events of a company’s stores in a range',
    description:
      'All events of all devices of a company, by store name, then time; with SerialNumber those of that device ' +
      'only. Amount counts all devices of a store in either case.',
    input: Type.Object({ Token, CompanyName, ...range, SerialNumber: Type.Optional(SerialNumber) }),
    ...events,
  },
  (resources, call) =>
    exportCounts(resources, call, async (db, scope, { SerialNumber }) => {
      if (SerialNumber !== undefined) return await selectDevice(db, scope, SerialNumber);
      return { stores: await storesInScope(db, scope, resources.stores) };
    }),
);
