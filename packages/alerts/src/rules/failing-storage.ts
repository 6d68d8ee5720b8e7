import type { DeviceInTrouble } from '@visitor-counter/database/alerts/devices-in-trouble';
import { utcText } from '@visitor-counter/domain/instant';
import { readStoredHeartbeat } from '@visitor-counter/wire/stored-heartbeat';
import { aboutDevice, type Condition, identityOf } from './condition.ts';
import { afterByCompany, type Facts } from './facts.ts';

/** Units that cannot store crossings, or soon cannot; the time begins with the first heartbeat that reports it. */
export function failingStorage(facts: Facts): Condition[] {
  const { devices, storage, life, now } = facts;
  const after = afterByCompany(facts, 'storage-failing');
  const open = new Set(facts.open.map(identityOf));
  const sinceOf = new Map(storage.map(({ deviceId, since }) => [deviceId, since]));
  return devices.flatMap((device) => {
    const { companyId, deviceId } = device;
    const patience = after.get(companyId);
    const since = sinceOf.get(deviceId);
    if (patience === undefined || since === undefined) return [];
    const alert = { companyId, kind: 'storage-failing', subject: `${deviceId}` } as const;
    const beganAt = since + patience;
    if (!open.has(identityOf(alert)) && (beganAt > now || !life.alive)) return [];
    const { storage: problem = 'failed', held = 0 } = heartbeatOf(device) ?? {};
    return { ...alert, ...aboutDevice(device, { problem, held, since: utcText(since) }), beganAt };
  });
}

/** The devices whose last heartbeats report a problem. */
export function storageFailingIn(devices: readonly DeviceInTrouble[]): number[] {
  return devices.flatMap((device) => (heartbeatOf(device)?.storage === undefined ? [] : [device.deviceId]));
}

function heartbeatOf({ heartbeat, heartbeatAt }: DeviceInTrouble) {
  return heartbeatAt === null ? undefined : readStoredHeartbeat(heartbeat);
}
