import { alertKinds, type RuleKind } from '@visitor-counter/database/alerts/alert-kinds';
import type { DeviceAtStore } from '@visitor-counter/database/alerts/devices-in-trouble';
import type { EnabledRule, NewAlert, OpenAlert } from '@visitor-counter/database/alerts/open-alerts';
import { utcText } from '@visitor-counter/domain/time';
import { diskLimitOf, diskMargin, type Facts, heartbeatOf } from './facts.ts';

/** A condition that is true now and that a company has a rule for: an alert, unless it is open already. */
export type Condition = NewAlert;

/** The fields that identify an open alert. */
export type Identity = Pick<OpenAlert, 'companyId' | 'kind' | 'subject'>;

export function identityOf({ companyId, kind, subject }: Identity): string {
  return `${companyId} ${kind} ${subject}`;
}

/** All conditions that are true now and that a company has a rule for. */
export function conditionsIn(facts: Facts): Condition[] {
  return alertKinds.flatMap((kind) =>
    conditionsOf[kind](facts, deciderOf(kind, facts)).map((condition) => ({ ...condition, kind })),
  );
}

/** A condition without its kind. */
type Found = Omit<Condition, 'kind'>;

type Find = (facts: Facts, decide: Decider) => Found[];

/** Finds the conditions of each kind. */
const conditionsOf: Readonly<Record<RuleKind, Find>> = {
  'device-inactive': inactiveDevices,
  /* Of the heartbeat only the state of the beam is used, since its text and times are not trusted. */
  'beam-blocked': inTrouble(['beam 1', 'beam 2'], 'reported', ({ trouble, since }) => ({
    beam: trouble,
    ...sinceText(since),
  })),
  'beam-flickering': inTrouble(['flickering'], 'reported', ({ since }) => sinceText(since)),
  'capacity-reached': fullStores,
  'data-overdue': overdueStores,
  'limits-exceeded': exceededLimits,
  'crossings-missing': gaps,
  'crossings-lost': gaps,
  'cloned-unit': gaps,
  'direction-doubtful': doubtfulDirections,
  'disk-low': lowDisks,
  'version-old': oldVersions,
  'update-failed': inTrouble(['update'], 'lasting', ({ device }) => ({
    expected: device.targetVersion ?? '',
  })),
  'storage-failing': inTrouble(['storage'], 'reported', ({ device, since }) => {
    const { storage: problem = 'failed', held = 0 } = heartbeatOf(device) ?? {};
    return { problem, held, ...sinceText(since) };
  }),
  'visitors-while-closed': unusualCounts,
  'silent-while-open': unusualCounts,
  'service-unavailable': serviceUnavailable,
};

/** A state of a device, a store or the service that a rule decides about; `since`: when it began (epoch ms). */
interface State extends Omit<Found, 'beganAt'> {
  readonly since: number;
}

/** Decides about the states of one kind of alert. */
interface Decider {
  readonly kind: RuleKind;
  /** The rules of this kind, by company. */
  readonly rules: ReadonlyMap<number, EnabledRule>;
  isOpen(state: Pick<Found, 'companyId' | 'subject'>): boolean;
  /** A state that has lasted for the time of the rule. An open alert remains open as long as the state. */
  lasting(state: State): Found[];
  /** A state that a unit reports again and again: while no gateway runs, it raises nothing. */
  reported(state: State): Found[];
  /**
   * Something that has been missing for the time of the rule. Only time with a running gateway counts: after an outage
   * of all gateways the time starts again, so that one outage does not raise an alert for every device.
   */
  missing(state: State): Found[];
}

function deciderOf(kind: RuleKind, { rules, open, life, now }: Facts): Decider {
  const own = new Map(
    rules.filter((rule) => rule.kind === kind).map((rule) => [rule.companyId, rule] as const),
  );
  const known = new Set(open.map(identityOf));
  const isOpen: Decider['isOpen'] = (state) => known.has(identityOf({ ...state, kind }));
  const lasting: Decider['lasting'] = ({ since, ...state }) => {
    const after = own.get(state.companyId)?.after;
    if (after === undefined || (since + after > now && !isOpen(state))) return [];
    return [{ ...state, beganAt: since + after }];
  };
  return {
    kind,
    rules: own,
    isOpen,
    lasting,
    reported: (state) => (life.alive || isOpen(state) ? lasting(state) : []),
    missing: ({ since, ...state }) => {
      const after = own.get(state.companyId)?.after;
      if (after === undefined || !(isOpen(state) || life.alive)) return [];
      const beganAt = (isOpen(state) ? since : Math.max(since, life.since)) + after;
      return beganAt > now ? [] : [{ ...state, beganAt }];
    },
  };
}

/** The common fields of alerts about a device. */
function alertAbout(device: DeviceAtStore, more: Found['about']) {
  const { deviceId, companyId, serial, name, storeId, sid, storeName } = device;
  const about = { serial, device: name, sid, store: storeName, ...more };
  return { companyId, subject: `${deviceId}`, deviceId, storeId, about };
}

/** A state of a device, with its beginning (epoch ms) in the alert. */
function stateOf(device: DeviceAtStore, since: number, more: Found['about'] = {}): State {
  return { ...alertAbout(device, { ...more, ...sinceText(since) }), since };
}

function sinceText(since: number): { readonly since: string } {
  return { since: utcText(since) };
}

/** Devices that have sent nothing. */
function inactiveDevices({ devices }: Facts, { missing }: Decider): Found[] {
  return devices.flatMap((device) => missing(stateOf(device, device.lastActivityAt)));
}

/** Finds devices with some of these troubles: one alert for each. `decision` is the rule of the decider that applies. */
function inTrouble(
  troubles: readonly string[],
  decision: 'reported' | 'lasting',
  aboutOf: (found: ReturnType<typeof troublesIn>[number]) => Found['about'],
): Find {
  return (facts, decide) =>
    troublesIn(facts).flatMap((found) => {
      const { device, trouble, since } = found;
      if (!troubles.includes(trouble)) return [];
      const alert = alertAbout(device, aboutOf(found));
      const subject = troubles.length === 1 ? alert.subject : `${alert.subject} ${trouble}`;
      return decide[decision]({ ...alert, subject, since });
    });
}

/** The troubles of heartbeats with their devices; the time of a trouble begins with the first heartbeat that reports it. */
function troublesIn({ devices }: Facts) {
  return devices.flatMap((device) =>
    Object.entries(device.troubles).map(([trouble, since]) => ({ device, trouble, since })),
  );
}

/**
 * Stores whose occupancy has reached their capacity. An alert remains open until more than a twentieth of the capacity
 * is free, so that people at the door of a full store do not raise an alert each.
 */
function fullStores({ stores, now }: Facts, { isOpen }: Decider): Found[] {
  return stores.flatMap(({ storeId, companyId, sid, name, capacity, occupancy, changedAt }) => {
    const about = { sid, store: name, capacity, occupancy };
    const alert = { companyId, subject: `${storeId}`, storeId, about };
    const free = isOpen(alert) ? Math.max(1, Math.round(capacity / 20)) : 0;
    if (occupancy < Math.max(1, capacity - free)) return [];
    return [{ ...alert, beganAt: changedAt ?? now }];
  });
}

/**
 * Stores that lack crossings: some of their units have not delivered all crossings. A unit that has never reported does
 * not make its store overdue. An alert remains open while it is unknown whether the crossings have arrived.
 */
function overdueStores({ incomplete, now }: Facts, { missing, isOpen }: Decider): Found[] {
  return incomplete.flatMap(({ storeId, companyId, sid, name, completeUntil, isKnown }) => {
    const about = { sid, store: name, since: utcText(completeUntil) };
    const alert = { companyId, subject: `${storeId}`, storeId, about };
    const overdue = missing({ ...alert, since: completeUntil });
    return overdue.length === 0 && !isKnown && isOpen(alert) ? [{ ...alert, beganAt: now }] : overdue;
  });
}

/**
 * Devices that send more than their rate allows, or whose messages are rejected because of a limit. The alert has no text
 * from the unit.
 */
function exceededLimits({ overLimits }: Facts, { lasting }: Decider): Found[] {
  return overLimits.flatMap((device) => lasting(stateOf(device, device.since)));
}

/** Devices with a gap of this kind: missing, lost or conflicting crossings, or exits that precede entries. */
function gaps({ gaps }: Facts, { kind, lasting }: Decider): Found[] {
  const found = gaps.filter((device) => device.kind === kind);
  return found.flatMap((device) => lasting(stateOf(device, device.since, { count: device.count })));
}

/** Units whose disks are nearly full. An alert remains open until a tenth more than the limit is free. */
function lowDisks({ lowDisks, now }: Facts, { isOpen, rules }: Decider): Found[] {
  return lowDisks.flatMap((device) => {
    const { diskFree, diskSize, companyId } = device;
    const { bytes, percent } = diskLimitOf(rules.get(companyId)?.threshold ?? null);
    const limit = Math.max(bytes, ((diskSize ?? 0) * percent) / 100);
    const alert = alertAbout(device, { diskFree });
    return diskFree < limit * (isOpen(alert) ? diskMargin : 1) ? [{ ...alert, beganAt: now }] : [];
  });
}

/** Units with old versions: older than that of the rule, or for its time older than the newest one of the company. */
function oldVersions(facts: Facts, { rules, lasting }: Decider): Found[] {
  return troublesIn(facts).flatMap(({ device, trouble, since }) => {
    const { version = '' } = heartbeatOf(device) ?? {};
    const expected = facts.versions.get(device.companyId);
    if (trouble !== 'version' || expected === undefined) return [];
    const alert = alertAbout(device, { version, expected });
    const isOfRule = rules.get(device.companyId)?.threshold === expected;
    return isOfRule ? [{ ...alert, beganAt: since }] : lasting({ ...alert, since });
  });
}

/**
 * Unusual counts; the time of the rule was applied when they were found. Until the first search has ended, open alerts
 * remain open.
 */
function unusualCounts({ findings, searched, open, now }: Facts, { kind, rules }: Decider): Found[] {
  if (!searched.has(kind)) {
    const own = open.filter((alert) => alert.kind === kind);
    return own.map(({ companyId, subject }) => ({ companyId, subject, about: {}, beganAt: now }));
  }
  return findings.flatMap(({ store, device, since, about, ...finding }): Found[] => {
    const { companyId, id: storeId } = store;
    if (finding.kind !== kind || !rules.has(companyId)) return [];
    return [
      {
        companyId,
        storeId,
        beganAt: since,
        subject: `${device?.id ?? storeId}`,
        ...(device && { deviceId: device.id }),
        about: {
          ...(device && { serial: device.serial, device: device.name }),
          sid: store.sid,
          store: store.name,
          ...about,
          since: utcText(since),
        },
      },
    ];
  });
}

/** Doors at which exits precede entries, or drift apart from them; one alert for a door with both. */
function doubtfulDirections(facts: Facts, decide: Decider): Found[] {
  const found = [...gaps(facts, decide), ...unusualCounts(facts, decide)];
  return [...new Map(found.map((one) => [one.subject, one])).values()];
}

/** No gateway can store messages: one alert per company instead of one per device. */
function serviceUnavailable({ life }: Facts, { rules, lasting }: Decider): Found[] {
  const { alive, seenAt: since } = life;
  if (alive || !Number.isFinite(since)) return [];
  const about = { since: utcText(since) };
  return [...rules.keys()].flatMap((companyId) => lasting({ companyId, subject: 'service', about, since }));
}
