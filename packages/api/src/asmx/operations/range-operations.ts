import { storesInSight } from '@visitor-counter/database/stores/stores';
import Type from 'typebox';
import { countEvent } from '../../formats/records.ts';
import { exportCounts, selectDevice } from './export-counts.ts';
import type { Resources } from './operation.ts';
import { type Operation, operation } from './operation.ts';
import { CompanyName, DateFrom, DateTo, In, SerialNumber, Token } from './parameters.ts';

export const description = {
  name: 'GetCountsByCompanyAndDatePublic',
  summary: 'Lists the events of a company’s stores in a range',
  description:
    'All events of all devices of a company, by store name, then time; with SerialNumber those of that device ' +
    'only. Amount counts all devices of a store in either case.',
  input: Type.Object({
    ...{ Token, CompanyName, DateFrom, DateTo },
    ...{ In: Type.Optional(In), SerialNumber: Type.Optional(SerialNumber) },
  }),
  record: countEvent,
  credential: 'counts',
} as const;

export function getCountsByCompanyAndDatePublic(resources: Resources): Operation {
  return operation(description, {
    answer: (call) =>
      exportCounts(resources, call, async (db, sight, { SerialNumber }) => {
        if (SerialNumber !== undefined) return await selectDevice(db, sight, SerialNumber);
        return { stores: await storesInSight(db, sight, resources.stores) };
      }),
  });
}
