import { findDevice } from '@visitor-counter/database/reading/device';
import { storesOfDevice } from '@visitor-counter/database/reading/stores';
import { nameKey } from '@visitor-counter/domain/name-key';
import { unknownSerialNumber } from '../problems.ts';
import { exportCounts } from './export-counts.ts';
import { countEvent, type Operation } from './operation.ts';
import type { Resources } from './resources.ts';
import { tokenParameters } from './token.ts';

/** All events of one device in a range, each in the store that the device was in at that time. */
export function getCountsBySerialNumberAndDatePublic(resources: Resources): Operation {
  return {
    name: 'GetCountsBySerialNumberAndDatePublic',
    record: countEvent,
    parameters: { required: [...tokenParameters, 'SerialNumber', 'DateFrom', 'DateTo'], optional: ['In'] },
    answer: ({ parameters }) =>
      exportCounts(resources, parameters, async (db, companyId) => {
        const deviceId = await findDevice(db, companyId, nameKey(parameters.text('SerialNumber')));
        if (deviceId === undefined) throw unknownSerialNumber();
        return { stores: await storesOfDevice(db, deviceId), deviceId };
      }),
  };
}
