import { findDevice } from '@visitor-counter/database/reading/device';
import { storesOfCompany, storesOfDevice } from '@visitor-counter/database/reading/stores';
import { nameKey } from '@visitor-counter/domain/name-key';
import Type from 'typebox';
import { CompanyName, DateFrom, DateTo, In, SerialNumber, Token } from '../parameters/schemas.ts';
import { unknownSerialNumber } from '../problems.ts';
import { exportCounts } from './export-counts.ts';
import { type Operation, operation } from './operation.ts';
import { countEvent } from './records.ts';
import type { Resources } from './resources.ts';

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
      exportCounts(resources, call, async (db, companyId, { SerialNumber }) => {
        if (SerialNumber === undefined) return { stores: await storesOfCompany(db, companyId) };
        const deviceId = await findDevice(db, companyId, nameKey(SerialNumber));
        if (deviceId === undefined) throw unknownSerialNumber();
        return { stores: await storesOfDevice(db, deviceId), deviceId };
      }),
  });
}
