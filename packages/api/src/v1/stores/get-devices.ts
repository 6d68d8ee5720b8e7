import { backlogOf, completenessOfDevice } from '@visitor-counter/database/devices/completeness';
import { type DeviceFacts, deviceFacts } from '@visitor-counter/database/devices/device-facts';
import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import { readStoredHeartbeat } from '@visitor-counter/wire/stored-heartbeat';
import Type from 'typebox';
import { mostItems, page } from '../routing/page.ts';
import { nothing, type Route, type RouteDescription, route, type V1Resources } from '../routing/route.ts';
import { after, deviceShape, limit, listOf, storeFilter } from '../routing/shapes.ts';
import { requestedStores } from './requested-stores.ts';
import { completenessItem } from './store-states.ts';

export const getDevicesDescription = {
  method: 'GET',
  path: '/v1/devices',
  summary: 'Devices and their health',
  kinds: ['counts', 'life-signal', 'staff'],
  query: Type.Object({ store: storeFilter, after, limit: limit(mostItems) }),
  body: nothing,
  status: 200,
  answer: listOf(deviceShape),
  columns: [
    ...['serial', 'name', 'store', 'online', 'onlineChangedAt', 'lastActivityAt', 'heartbeatAt', 'version'],
    ...['uptime', 'clock', 'cpuTemperature', 'diskFree', 'backlog', 'lost', 'completeUntil'],
  ],
} satisfies RouteDescription;

/** The devices of the stores that the caller sees, and how they are. */
export function getDevices({ database, now }: V1Resources): Route {
  return route(getDevicesDescription, async ({ caller, query }) => {
    const at = now();
    const stores = await requestedStores(database.kysely, caller, query.store);
    const byId = new Map(stores.map((store) => [store.id, store]));
    const devices = await deviceFacts(database.kysely, [...byId.keys()], at);
    const { items, next } = page(devices, ({ serial }) => serial, query);
    return { items: items.map((device) => deviceItem(device, byId.get(device.store_id), at)), next };
  });
}

function deviceItem(device: DeviceFacts, store: StoreFacts | undefined, now: number) {
  const format = zonedFormatter(store?.calendar.timeZone ?? 'UTC');
  const known = (instant: number | null) => (instant === null ? null : format(instant));
  const heartbeat = readStoredHeartbeat(device.heartbeat);
  return {
    serial: device.serial,
    name: device.name,
    store: store?.sid ?? '',
    online: device.online,
    onlineChangedAt: known(device.online_changed_at),
    lastActivityAt: known(device.last_activity_at),
    heartbeatAt: known(device.heartbeat_at),
    version: heartbeat?.version ?? null,
    uptime: heartbeat?.uptime ?? null,
    clock: heartbeat?.clock ?? null,
    cpuTemperature: heartbeat?.cpuTemperature ?? null,
    diskFree: heartbeat?.diskFree ?? null,
    backlog: (heartbeat && backlogOf(device, heartbeat)) ?? null,
    lost: heartbeat?.lost ?? 0,
    beams: (heartbeat?.beams ?? []).map(({ name, state, since, breaks = null }) => ({
      ...{ name, state, since: known(since ?? null), breaks },
    })),
    ...completenessItem(completenessOfDevice(device, now), format),
  };
}
