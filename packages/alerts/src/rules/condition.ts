import type { DeviceInTrouble } from '@visitor-counter/database/alerts/devices-in-trouble';
import type { NewAlert, OpenAlert } from '@visitor-counter/database/alerts/open-alerts';

/** A condition that is true now and that a company has a rule for: an alert, unless it is open already. */
export type Condition = NewAlert;

/** The fields that identify an open alert. */
type Identity = Pick<OpenAlert, 'companyId' | 'kind' | 'subject'>;

export function identityOf({ companyId, kind, subject }: Identity): string {
  return `${companyId} ${kind} ${subject}`;
}

export interface Verdict {
  readonly raise: readonly Condition[];
  /** The ids of alerts that are over. */
  readonly clear: readonly string[];
}

/** Raises conditions without an open alert, and clears open alerts without a condition. */
export function judge(open: readonly OpenAlert[], conditions: readonly Condition[]): Verdict {
  const known = new Set(open.map(identityOf));
  const current = new Set(conditions.map(identityOf));
  return {
    raise: conditions.filter((condition) => !known.has(identityOf(condition))),
    clear: open.filter((alert) => !current.has(identityOf(alert))).map(({ id }) => id),
  };
}

/** The device and the store of an alert, with further fields. */
export function aboutDevice(
  {
    deviceId,
    serial,
    name,
    storeId,
    sid,
    storeName,
  }: Pick<DeviceInTrouble, 'deviceId' | 'serial' | 'name' | 'storeId' | 'sid' | 'storeName'>,
  more: Condition['about'],
): Pick<Condition, 'deviceId' | 'storeId' | 'about'> {
  return { deviceId, storeId, about: { serial, device: name, sid, store: storeName, ...more } };
}
