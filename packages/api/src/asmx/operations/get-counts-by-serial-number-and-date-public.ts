import Type from 'typebox';
import { countEvent } from '../../formats/records.ts';
import { exportCounts, selectDevice } from './export-counts.ts';
import type { Resources } from './operation.ts';
import { type Operation, operation } from './operation.ts';
import { CompanyName, DateFrom, DateTo, In, SerialNumber, Token } from './parameters.ts';

export const description = {
  name: 'GetCountsBySerialNumberAndDatePublic',
  summary: 'Lists the events of one device in a range',
  description:
    'All events of one device, each in the store that the device was in at that time; by store name, then time. ' +
    'Amount counts all devices of that store.',
  input: Type.Object({ Token, CompanyName, SerialNumber, DateFrom, DateTo, In: Type.Optional(In) }),
  record: countEvent,
  credential: 'counts',
} as const;

export function getCountsBySerialNumberAndDatePublic(resources: Resources): Operation {
  return operation(description, {
    answer: (call) =>
      exportCounts(resources, call, (db, sight, { SerialNumber }) => selectDevice(db, sight, SerialNumber)),
  });
}
