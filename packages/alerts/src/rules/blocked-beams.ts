import { beamLabel } from '@visitor-counter/database/alerts/beam-label';
import type { BeamPosition } from '@visitor-counter/database/alerts/blocked-beams';
import type { DeviceInTrouble } from '@visitor-counter/database/alerts/devices-in-trouble';
import { readHeartbeat } from '@visitor-counter/database/reading/kept-heartbeat';
import { utcText } from '@visitor-counter/domain/instant';
import { aboutDevice } from './about-device.ts';
import { type Condition, identityOf } from './condition.ts';
import { afterByCompany, type Facts } from './facts.ts';

/**
 * Beams that have been blocked for a time. What a unit says can be anything: only that its beam is blocked is
 * believed. The name of the beam is its position, and the time runs from the arrival of the first heartbeat that said so.
 */
export function blockedBeams(facts: Facts): Condition[] {
  const { devices, blocked, life, now } = facts;
  const after = afterByCompany(facts, 'beam-blocked');
  const open = new Set(facts.open.map(identityOf));
  const byDevice = Map.groupBy(blocked, ({ deviceId }) => deviceId);
  return devices.flatMap((device) => {
    const patience = after.get(device.companyId);
    if (patience === undefined) return [];
    return (byDevice.get(device.deviceId) ?? []).flatMap(({ position, since }) => {
      const { companyId, deviceId } = device;
      const beam = beamLabel(position);
      const alert = { companyId, kind: 'beam-blocked', subject: `${deviceId} ${beam}` } as const;
      const beganAt = since + patience;
      if (!open.has(identityOf(alert)) && (beganAt > now || !life.alive)) return [];
      return { ...alert, ...aboutDevice(device, { beam, blockedSince: utcText(since) }), beganAt };
    });
  });
}

/** A door has no more. */
const mostBeams = 2;

/** The beams that the last heartbeats call blocked. */
export function beamsBlockedIn(devices: readonly DeviceInTrouble[]): BeamPosition[] {
  return devices.flatMap(({ deviceId, heartbeat, heartbeatAt }) => {
    const { beams = [] } = heartbeatAt === null ? {} : (readHeartbeat(heartbeat) ?? {});
    return beams
      .slice(0, mostBeams)
      .flatMap(({ state }, index) => (state === 'blocked' ? { deviceId, position: index + 1 } : []));
  });
}
