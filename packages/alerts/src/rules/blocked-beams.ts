import type { DeviceInTrouble } from '@visitor-counter/database/alerts/devices-in-trouble';
import { readHeartbeat } from '@visitor-counter/database/reading/kept-heartbeat';
import { utcText } from '@visitor-counter/domain/instant';
import { aboutDevice } from './about-device.ts';
import { type Condition, identityOf } from './condition.ts';
import { afterByCompany, type Facts } from './facts.ts';

/**
 * Beams that have been blocked for a time, by the last heartbeat of their device. The unit's own clock may be
 * wrong: only how long the beam had been blocked is taken from it, and counted back from the arrival.
 */
export function blockedBeams(facts: Facts): Condition[] {
  const { devices, life, now } = facts;
  const after = afterByCompany(facts, 'beam-blocked');
  const open = new Set(facts.open.map(identityOf));
  return devices.flatMap((device) => {
    const patience = after.get(device.companyId);
    if (patience === undefined) return [];
    return blockedIn(device).flatMap(({ beam, since }) => {
      const { companyId, deviceId } = device;
      const alert = { companyId, kind: 'beam-blocked', subject: `${deviceId} ${beam}` } as const;
      const beganAt = since + patience;
      if (!open.has(identityOf(alert)) && (beganAt > now || !life.alive)) return [];
      const about = { beam, blockedSince: utcText(since) };
      return { ...alert, ...aboutDevice(device, about), beganAt };
    });
  });
}

/** The beams that the last heartbeat calls blocked, and since when by the gateway's clock (epoch ms). */
function blockedIn({ heartbeat, heartbeatAt }: DeviceInTrouble): { beam: string; since: number }[] {
  if (heartbeatAt === null) return [];
  const { at = 0, beams = [] } = readHeartbeat(heartbeat) ?? {};
  return beams
    .filter(({ state }) => state === 'blocked')
    .map(({ name, since = at }) => ({ beam: name, since: heartbeatAt - Math.max(0, at - since) }));
}
