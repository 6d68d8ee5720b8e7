import { utcText } from '@visitor-counter/domain/instant';
import { aboutDevice, type Condition, identityOf } from './condition.ts';
import { afterByCompany, type Facts } from './facts.ts';

/**
 * Devices that have sent nothing for the time of the rule. Only time with a running gateway counts: after an outage of
 * all gateways the time starts again, so that one outage does not raise an alert for every device. An open alert remains
 * open until the device is active.
 */
export function inactiveDevices(facts: Facts): Condition[] {
  const { devices, life, now } = facts;
  const after = afterByCompany(facts, 'device-inactive');
  const open = new Set(facts.open.map(identityOf));
  return devices.flatMap((device) => {
    const patience = after.get(device.companyId);
    if (patience === undefined) return [];
    const alert = {
      companyId: device.companyId,
      kind: 'device-inactive',
      subject: `${device.deviceId}`,
    } as const;
    const isOpen = open.has(identityOf(alert));
    const silentSince = isOpen ? device.heardAt : Math.max(device.heardAt, life.since);
    const beganAt = silentSince + patience;
    if (beganAt > now || !(isOpen || life.alive)) return [];
    return { ...alert, ...aboutDevice(device, { lastActivity: utcText(device.heardAt) }), beganAt };
  });
}
