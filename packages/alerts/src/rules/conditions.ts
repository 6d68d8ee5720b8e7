import type { RuleKind } from '@visitor-counter/database/alerts/alert-kinds';
import type { DeviceAtStore, DeviceInTrouble } from '@visitor-counter/database/alerts/devices-in-trouble';
import type { NewAlert, OpenAlert } from '@visitor-counter/database/alerts/open-alerts';
import { utcText } from '@visitor-counter/domain/time';
import { type Facts, heartbeatOf } from './facts.ts';

/** A condition that is true now and that a company has a rule for: an alert, unless it is open already. */
export type Condition = NewAlert;

/** The fields that identify an open alert. */
export type Identity = Pick<OpenAlert, 'companyId' | 'kind' | 'subject'>;

export function identityOf({ companyId, kind, subject }: Identity): string {
  return `${companyId} ${kind} ${subject}`;
}

/** All conditions that are true now and that a company has a rule for. */
export function conditionsIn(facts: Facts): Condition[] {
  const decide = deciderOf(facts);
  return [
    inactiveDevices,
    reportedTroubles,
    fullStores,
    overdueStores,
    uncountedCrossings,
    lowDisks,
    oldVersions,
    unusualCounts,
    serviceUnavailable,
  ].flatMap((rule) => rule(facts, decide));
}

/** A state of a device, a store or the service that a rule decides about; `since`: when it began (epoch ms). */
interface State extends Omit<Condition, 'beganAt' | 'kind'> {
  readonly kind: RuleKind;
  readonly since: number;
}

interface Decider {
  isOpen(state: Identity): boolean;
  /** A state that has lasted for the time of the rule. An open alert remains open as long as the state. */
  lasting(state: State): Condition[];
  /**
   * Something that has been missing for the time of the rule. Only time with a running gateway counts: after an outage
   * of all gateways the time starts again, so that one outage does not raise an alert for every device.
   */
  missing(state: State): Condition[];
}

function deciderOf({ rules, open, life, now }: Facts): Decider {
  const times = new Map(rules.map(({ companyId, kind, after }) => [`${companyId} ${kind}`, after]));
  const afterOf = ({ companyId, kind }: Identity) => times.get(`${companyId} ${kind}`);
  const known = new Set(open.map(identityOf));
  const isOpen = (state: Identity) => known.has(identityOf(state));
  return {
    isOpen,
    lasting: ({ since, ...state }) => {
      const after = afterOf(state);
      if (after === undefined || (since + after > now && !isOpen(state))) return [];
      return [{ ...state, beganAt: since + after }];
    },
    missing: ({ since, ...state }) => {
      const after = afterOf(state);
      if (after === undefined || !(isOpen(state) || life.alive)) return [];
      const beganAt = (isOpen(state) ? since : Math.max(since, life.since)) + after;
      return beganAt > now ? [] : [{ ...state, beganAt }];
    },
  };
}

/** What alerts about a device have in common. */
function alertAbout<Kind extends RuleKind>(kind: Kind, device: DeviceAtStore, more: Condition['about']) {
  const { deviceId, companyId, serial, name, storeId, sid, storeName } = device;
  const about = { serial, device: name, sid, store: storeName, ...more };
  return { companyId, kind, subject: `${deviceId}`, deviceId, storeId, about };
}

/** Devices that have sent nothing. */
function inactiveDevices({ devices }: Facts, { missing }: Decider): Condition[] {
  return devices.flatMap((device) => {
    const { heardAt } = device;
    const about = { lastActivity: utcText(heardAt) };
    return missing({ ...alertAbout('device-inactive', device, about), since: heardAt });
  });
}

/** Blocked beams, and units that cannot store crossings, or soon cannot; the time begins with the first such heartbeat. */
function reportedTroubles({ devices, troubles, life }: Facts, { lasting, isOpen }: Decider): Condition[] {
  const byId = new Map(devices.map((device) => [device.deviceId, device]));
  return troubles.flatMap(({ deviceId, trouble, since }) => {
    const device = byId.get(deviceId);
    if (device === undefined) return [];
    const alert = trouble === 'storage' ? failingStorage(device, since) : blockedBeam(device, trouble, since);
    return life.alive || isOpen(alert) ? lasting({ ...alert, since }) : [];
  });
}

/** Of the heartbeat only the state of the beam is used, since its text and times are not trusted. */
function blockedBeam(device: DeviceAtStore, beam: string, since: number) {
  const alert = alertAbout('beam-blocked', device, { beam, blockedSince: utcText(since) });
  return { ...alert, subject: `${device.deviceId} ${beam}` };
}

function failingStorage(device: DeviceInTrouble, since: number) {
  const { storage: problem = 'failed', held = 0 } = heartbeatOf(device) ?? {};
  return alertAbout('storage-failing', device, { problem, held, since: utcText(since) });
}

/**
 * Stores whose occupancy has reached their capacity. An alert remains open until more than a twentieth of the capacity
 * is free, so that people at the door of a full store do not raise an alert each.
 */
function fullStores({ stores, now }: Facts, { isOpen }: Decider): Condition[] {
  return stores.flatMap(({ storeId, companyId, sid, name, capacity, occupancy, changedAt }) => {
    const about = { sid, store: name, capacity, occupancy };
    const alert = { companyId, kind: 'capacity-reached', subject: `${storeId}`, storeId, about } as const;
    const free = isOpen(alert) ? Math.max(1, Math.round(capacity / 20)) : 0;
    if (occupancy < Math.max(1, capacity - free)) return [];
    return [{ ...alert, beganAt: changedAt ?? now }];
  });
}

/**
 * Stores that lack crossings: some of their units have not delivered all crossings. A unit that has never reported does
 * not make its store overdue. An alert remains open while it is unknown whether the crossings have arrived.
 */
function overdueStores({ incomplete, now }: Facts, { missing, isOpen }: Decider): Condition[] {
  return incomplete.flatMap(({ storeId, companyId, sid, name, completeUntil }) => {
    const about = { sid, store: name };
    const alert = { companyId, kind: 'data-overdue', subject: `${storeId}`, storeId, about } as const;
    if (completeUntil !== null) {
      const until = { ...about, completeUntil: utcText(completeUntil) };
      return missing({ ...alert, about: until, since: completeUntil });
    }
    return isOpen(alert) ? [{ ...alert, beganAt: now }] : [];
  });
}

/**
 * Devices that send more crossings than their limits, or too old ones, while any of these are rejected messages; and
 * devices with missing, lost or conflicting crossings. The alerts have no text from the unit.
 */
function uncountedCrossings({ overLimits, gaps }: Facts, { lasting }: Decider): Condition[] {
  return [
    ...overLimits.flatMap((device) => {
      const { since } = device;
      return lasting({ ...alertAbout('limits-exceeded', device, { since: utcText(since) }), since });
    }),
    ...gaps.flatMap((device) => {
      const { kind, count, since } = device;
      return lasting({ ...alertAbout(kind, device, { count, since: utcText(since) }), since });
    }),
  ];
}

/** Units whose disks are nearly full. An alert remains open until a tenth more than the limit is free. */
function lowDisks({ lowDisks, now }: Facts, { isOpen }: Decider): Condition[] {
  return lowDisks.flatMap((device) => {
    const { diskFree, limit } = device;
    const alert = alertAbout('disk-low', device, { diskFree });
    return diskFree < limit || isOpen(alert) ? [{ ...alert, beganAt: now }] : [];
  });
}

/** Units with old versions. Both versions are valid version numbers. */
function oldVersions({ oldVersions, now }: Facts): Condition[] {
  return oldVersions.map((device) => {
    const { version, expected } = device;
    return { ...alertAbout('version-old', device, { version, expected }), beganAt: now };
  });
}

/** What the counts of stores show; the time of the rule was considered when it was found. */
function unusualCounts({ findings }: Facts): Condition[] {
  return findings.map(
    ({ storeId, companyId, sid, name, kind, deviceId, serial, device, since, about }): Condition => {
      const ofDoor = deviceId !== null && serial !== null && device !== null;
      return {
        companyId,
        kind,
        storeId,
        beganAt: since,
        ...(ofDoor ? { subject: `${deviceId}`, deviceId } : { subject: `${storeId}` }),
        about: { ...(ofDoor && { serial, device }), sid, store: name, ...about, since: utcText(since) },
      };
    },
  );
}

/** No gateway can store messages: one alert per company instead of one per device. */
function serviceUnavailable({ rules, life }: Facts, { lasting }: Decider): Condition[] {
  const { alive, seenAt: since } = life;
  if (alive || !Number.isFinite(since)) return [];
  const about = { unavailableSince: utcText(since) };
  return rules.flatMap(({ kind, companyId }) =>
    kind === 'service-unavailable' ? lasting({ companyId, kind, subject: 'service', about, since }) : [],
  );
}
