import { type InactiveDevice, inactiveDevices } from '@visitor-counter/database/devices/list-devices';
import { occupancies } from '@visitor-counter/database/occupancy/projected-days';
import type { Db } from '@visitor-counter/database/sql/query-builder';
import { openSnapshot } from '@visitor-counter/database/sql/snapshot';
import { type Store, storesInScope, storesOfShopGroup } from '@visitor-counter/database/stores/stores';
import { onceForEachCalendar } from '@visitor-counter/domain/business-day';
import { nameKey } from '@visitor-counter/domain/name-key';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import Type from 'typebox';
import { keyOf } from '../../access/callers.ts';
import {
  type CountEvent,
  countEvent,
  type InactiveDeviceRecord,
  inactiveDevice,
} from '../../formats/records.ts';
import { missingParameter, Problem } from '../../problems/problems.ts';
import { exportCounts, selectDevice } from './export-counts.ts';
import { accessByToken, type Operation, operation } from './operation.ts';
import {
  CompanyName,
  DateFrom,
  DateTo,
  In,
  InactiveForHours,
  SerialNumber,
  ShopGroupName,
  Token,
} from './parameters.ts';

const getLifeSignalInactive = operation(
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
  async function* answer(
    { database, callers, answers, now },
    { parameters, authorization, address, signal },
  ) {
    const credential = keyOf(authorization ?? '');
    if (credential === '') throw missingParameter('Authorization');
    const companyName = parameters.text('CompanyName');
    const { companyId, storeIds } = await callers.authorize({
      kind: 'life-signal',
      credential,
      companyName,
      address,
    });
    using _place = await answers.acquire(companyId, signal);
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
    LastActivity: zonedFormatter(device.timeZone)(device.lastActivity),
    SID: device.sid,
    ShopName: device.storeName,
    Address: device.address,
    City: device.city,
    CompanyId: device.companyId,
  };
}

const getAllCountsByCompanyForTodayPublic = operation(
  {
    name: 'GetAllCountsByCompanyForTodayPublic',
    summary: 'Lists the people inside each of a company’s stores now',
    description:
      'One record for each store, by store name: Amount is its occupancy now, DateTime its latest event of the ' +
      'business day, or the beginning of that day if there is none yet.',
    input: Type.Object({ CompanyName, Token }),
    record: countEvent,
    credential: 'counts',
  },
  async function* answer({ database, callers, answers, now }, call) {
    const access = await accessByToken(callers, call);
    using _place = await answers.acquire(access.companyId, call.signal);
    await using snapshot = await openSnapshot(database, call.signal);
    const seen = await storesInScope(snapshot.db, access);
    yield await storesToday(snapshot.db, seen, now());
  },
);

/**
 * The latest event of each store's business day, or its start when there is none, and the people inside now. Events
 * after `now` (epoch ms), from a clock that is fast, are not counted yet.
 */
async function storesToday(db: Db, stores: readonly Store[], now: number): Promise<CountEvent[]> {
  const formatOf = onceForEachCalendar(({ timeZone }) => zonedFormatter(timeZone));
  const found = await occupancies(db, stores, now);
  return found.map(({ store: { name, calendar }, day, occupancy, latest = day.start }) => {
    return { DateTime: formatOf(calendar)(latest), StoreName: name, Amount: occupancy };
  });
}

const range = { DateFrom, DateTo, In: Type.Optional(In) };
const events = { record: countEvent, credential: 'counts' } as const;

const getCountsByShopGroupAndDatePublic = operation(
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

const getCountsBySerialNumberAndDatePublic = operation(
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

const getCountsByCompanyAndDatePublic = operation(
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
      return { stores: await storesInScope(db, scope) };
    }),
);

/** The operations of the interface document, in its order. */
export const operations: readonly Operation[] = [
  getLifeSignalInactive,
  getAllCountsByCompanyForTodayPublic,
  getCountsByShopGroupAndDatePublic,
  getCountsBySerialNumberAndDatePublic,
  getCountsByCompanyAndDatePublic,
];
