import { findDevice } from '@visitor-counter/database/reading/device';
import { storesOfCompany, storesOfDevice } from '@visitor-counter/database/reading/stores';
import { nameKey } from '@visitor-counter/domain/name-key';
import { unknownSerialNumber } from '../problems.ts';
import { exportCounts } from './export-counts.ts';
import { countEvent, type Operation } from './operation.ts';
import type { Resources } from './resources.ts';
import { tokenParameters } from './token.ts';

/** All events of a company's stores in a range, or those of one of its devices. */
export function getCountsByCompanyAndDatePublic(resources: Resources): Operation {
  return {
    name: 'GetCountsByCompanyAndDatePublic',
    record: countEvent,
    parameters: { required: [...tokenParameters, 'DateFrom', 'DateTo'], optional: ['In', 'SerialNumber'] },
    answer: ({ parameters }) =>
      exportCounts(resources, parameters, async (db, companyId) => {
        const serial = parameters.optional('SerialNumber');
        if (serial === undefined) return { stores: await storesOfCompany(db, companyId) };
        const deviceId = await findDevice(db, companyId, nameKey(String(serial)));
        if (deviceId === undefined) throw unknownSerialNumber();
        return { stores: await storesOfDevice(db, deviceId), deviceId };
      }),
  };
}
