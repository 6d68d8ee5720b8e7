import { beamLabel } from '@visitor-counter/database/alerts/beam-label';
import type { BeamPosition } from '@visitor-counter/database/alerts/blocked-beams';
import type { DeviceInTrouble } from '@visitor-counter/database/alerts/devices-in-trouble';
import { utcText } from '@visitor-counter/domain/instant';
import { readStoredHeartbeat } from '@visitor-counter/wire/stored-heartbeat';
import { aboutDevice, type Condition, identityOf } from './condition.ts';
import { afterByCompany, type Facts } from './facts.ts';

/**
 * Beams that have been blocked for the time of the rule. Of the heartbeat only the state of each beam is used, since its
 * text and times are not trusted: a beam is named by its position, and the time begins when the first heartbeat with the
 * blocked beam arrives.
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

/** The most beams of a door. */
const mostBeams = 2;

/** The beams that are blocked according to the latest heartbeats. */
export function beamsBlockedIn(devices: readonly DeviceInTrouble[]): BeamPosition[] {
  return devices.flatMap(({ deviceId, heartbeat, heartbeatAt }) => {
    const { beams = [] } = heartbeatAt === null ? {} : (readStoredHeartbeat(heartbeat) ?? {});
    return beams
      .slice(0, mostBeams)
      .flatMap(({ state }, index) => (state === 'blocked' ? { deviceId, position: index + 1 } : []));
  });
}
