import { type InactiveDevice, inactiveDevices } from '@visitor-counter/database/devices/list-devices';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type from 'typebox';
import { keyOf } from '../../access/authorize.ts';
import { type InactiveDeviceRecord, inactiveDevice } from '../../formats/records.ts';
import { missingParameter } from '../../problems/problems.ts';
import { operation } from './operation.ts';
import { CompanyName, InactiveForHours } from './parameters.ts';

export const getLifeSignalInactive = operation(
  {
    name: 'GetLifeSignalInactive',
    summary: 'Lists devices that were silent for some hours',
    description:
      'Devices whose last communication with the server is at least InactiveForHours ago, for lack of internet ' +
      'or power. A device that has never connected counts from its registration. By store name, then serial ' +
      'number.',
    input: Type.Object({ CompanyName, InactiveForHours }),
    record: inactiveDevice,
    credential: 'life-signal',
  },
  async function* answer({ database, authorize, now }, { parameters, authorization, address }) {
    const credential = keyOf(authorization ?? '');
    if (credential === '') throw missingParameter('Authorization');
    const companyName = parameters.text('CompanyName');
    const { companyId, storeIds } = await authorize({
      kind: 'life-signal',
      credential,
      companyName,
      address,
    });
    const cutoff = now() - parameters.values().InactiveForHours * 3_600_000;
    const devices = await inactiveDevices(database.kysely, { companyId, storeIds, cutoff, now: now() });
    yield devices.map(record);
  },
);

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
