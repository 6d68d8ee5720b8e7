import type { DeviceInTrouble } from '@visitor-counter/database/alerts/devices-in-trouble';
import type { Condition } from './condition.ts';

/** Which device and store an alert is about, and what more there is to tell. */
export function aboutDevice(
  { deviceId, serial, name, storeId, sid, storeName }: DeviceInTrouble,
  more: Condition['about'],
): Pick<Condition, 'deviceId' | 'storeId' | 'about'> {
  return { deviceId, storeId, about: { serial, device: name, sid, store: storeName, ...more } };
}
