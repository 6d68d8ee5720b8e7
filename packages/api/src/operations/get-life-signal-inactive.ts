import { type InactiveDevice, inactiveDevices } from '@visitor-counter/database/reading/inactive-devices';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import { keyOf } from '../access/authorization-header.ts';
import { hours } from '../parameters/hours.ts';
import { type InactiveDeviceRecord, inactiveDevice, type Operation } from './operation.ts';
import type { Resources } from './resources.ts';

/** Devices that have not been heard of for some hours, by store name, then serial number. */
export function getLifeSignalInactive({ database, authorize, now }: Resources): Operation {
  return {
    name: 'GetLifeSignalInactive',
    record: inactiveDevice,
    parameters: { required: ['CompanyName', 'InactiveForHours'], optional: [] },
    async *answer({ parameters, authorization }) {
      const credential = keyOf(authorization);
      const companyName = parameters.text('CompanyName');
      const companyId = await authorize({ kind: 'life-signal', credential, companyName });
      const cutoff = now() - hours(parameters, 'InactiveForHours') * 3_600_000;
      const devices = await inactiveDevices(database.kysely, { companyId, cutoff, now: now() });
      yield devices.map(record);
    },
  };
}

function record(device: InactiveDevice): InactiveDeviceRecord {
  return {
    Id: device.id,
    SerialNumber: device.serial,
    Name: device.name,
    LastActivity: zonedFormatter(device.time_zone)(device.last_activity),
    SID: device.sid,
    ShopName: device.store_name,
    Address: device.address,
    City: device.city,
    CompanyId: device.company_id,
  };
}
