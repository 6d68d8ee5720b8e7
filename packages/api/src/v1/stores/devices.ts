import { type AuditFacts, latestResults } from '@visitor-counter/database/accuracy/audits';
import { completenessOfDevice } from '@visitor-counter/database/devices/completeness';
import { type DeviceFacts, deviceFacts } from '@visitor-counter/database/devices/device-facts';
import type { StoreFacts } from '@visitor-counter/database/stores/store-facts';
import { zonedFormatter } from '@visitor-counter/domain/zoned-formatter';
import { pendingCrossings, readStoredHeartbeat } from '@visitor-counter/wire/stored-heartbeat';
import Type from 'typebox';
import { columnsOf } from '../routing/list-columns.ts';
import { listOf, listQuery, page } from '../routing/pages.ts';
import { route } from '../routing/route.ts';
import { count, instant, orNull, text } from '../routing/shapes.ts';
import { auditItem, auditShape } from './audit-item.ts';
import { completenessItem, completenessShape } from './completeness.ts';
import { requestedStores } from './requested-stores.ts';

const beam = Type.Object({
  name: text('Name of the beam.'),
  state: Type.Enum(['clear', 'blocked']),
  since: orNull(instant('Since when.')),
  breaks: orNull(count('How often it was broken.')),
});

const deviceShape = Type.Object(
  {
    serial: text('Serial number.'),
    name: text('Name of the device.'),
    store: text('Store id.'),
    online: Type.Boolean({ description: 'Connected now.' }),
    onlineChangedAt: orNull(instant('Since when.')),
    lastActivityAt: orNull(instant('Its last message.')),
    heartbeatAt: orNull(instant('Its last heartbeat, the source of the fields that follow.')),
    version: orNull(text('Version of its program.')),
    uptime: orNull(Type.Number({ description: 'Seconds since its start.' })),
    clock: orNull(Type.Enum(['synced', 'unsynced'])),
    cpuTemperature: orNull(Type.Number({ description: '°C' })),
    diskFree: orNull(Type.Number({ description: 'Bytes' })),
    pending: orNull(count('Crossings recorded and not delivered.')),
    lost: count('Crossings declared unreadable.'),
    beams: Type.Array(beam),
    audit: orNull(auditShape),
    ...completenessShape,
  },
  { $id: 'Device' },
);

/** The devices of the stores that the caller sees, and how they are. */
export const getDevices = route(
  {
    method: 'GET',
    path: '/v1/devices',
    summary: 'Devices and their health',
    kinds: ['counts', 'life-signal', 'staff'],
    query: listQuery,
    answer: listOf(deviceShape),
    columns: columnsOf(deviceShape, 'audit'),
  },
  async ({ caller, query }, { database, now }) => {
    const at = now();
    const stores = await requestedStores(database.kysely, caller, query.store);
    const devices = await deviceFacts(database.kysely, stores.ids, at);
    const { items, next } = page(devices, ({ serial }) => serial, query);
    /* Audits name people, and are not about the life of a device. */
    const audited = caller.kind === 'life-signal' ? [] : items.map(({ id }) => id);
    const audits = await latestResults(database.kysely, audited);
    const itemOf = (device: DeviceFacts) =>
      deviceItem(device, stores.of(device.storeId), audits.get(device.id), at);
    return { items: items.map(itemOf), next };
  },
);

function deviceItem(
  device: DeviceFacts,
  { sid, calendar }: StoreFacts,
  audit: AuditFacts | undefined,
  now: number,
) {
  const format = zonedFormatter(calendar.timeZone);
  const known = (instant: number | null) => (instant === null ? null : format(instant));
  const heartbeat = readStoredHeartbeat(device.heartbeat);
  return {
    serial: device.serial,
    name: device.name,
    store: sid,
    online: device.online,
    onlineChangedAt: known(device.onlineChangedAt),
    lastActivityAt: known(device.lastActivityAt),
    heartbeatAt: known(device.heartbeatAt),
    version: heartbeat?.version ?? null,
    uptime: heartbeat?.uptime ?? null,
    clock: heartbeat?.clock ?? null,
    cpuTemperature: heartbeat?.cpuTemperature ?? null,
    diskFree: heartbeat?.diskFree ?? null,
    pending: (heartbeat && pendingCrossings(heartbeat, device.storedSince)) ?? null,
    lost: heartbeat?.lost ?? 0,
    beams: (heartbeat?.beams ?? []).map(({ name, state, since, breaks }) => ({
      name,
      state,
      since: format(since),
      breaks,
    })),
    audit: audit ? auditItem(audit, sid, format) : null,
    ...completenessItem(completenessOfDevice(device, now), format),
  };
}
