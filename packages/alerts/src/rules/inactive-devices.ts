import { utcText } from '@visitor-counter/domain/instant';
import { aboutDevice } from './about-device.ts';
import { type Condition, identityOf } from './condition.ts';
import { afterByCompany, type Facts } from './facts.ts';

/**
 * Devices that nothing was heard of for a time. Silence counts only while somebody listens: when all gateways
 * were away, every device has that time anew to be heard before it is missed, so that one outage of the
 * service is not an alert for every device. An alert that is open stays so until the device is heard of.
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
