import { completenessOfDevice } from './completeness.ts';
import type { StoreDevices } from './store-devices.ts';

/** What the units of a store have delivered. Instants are epoch ms. */
export interface Delivery {
  /** Everything recorded until then was delivered, except in the gaps. */
  readonly until: number;
  /** A unit is known to have more, or it is not known whether it has. */
  readonly isBehind: boolean;
  /** Times in which crossings may have been recorded that are lost, missing or in conflict. */
  readonly gaps: readonly { readonly from: number; readonly until: number }[];
}

const behind: ReadonlySet<string> = new Set([
  'offline',
  'never-connected',
  'pending',
  'pending-unknown',
  'storage',
]);

/**
 * What the devices of a store have delivered at `now` (epoch ms), or the one with this serial number. A device has nothing from
 * before its registration. Nothing is delivered beyond what the projection contains.
 */
export function deliveryIn(
  { devices, projectedUntil }: Pick<StoreDevices, 'devices' | 'projectedUntil'>,
  now: number,
  serial?: string,
): Delivery {
  const wanted = devices.filter((device) => serial === undefined || device.serial === serial);
  const states = wanted.map((device) => ({ ...device, ...completenessOfDevice(device, now) }));
  const untils = states.map(({ deliveredUntil, registeredAt }) => deliveredUntil ?? registeredAt);
  return {
    until: Math.min(projectedUntil, ...untils),
    isBehind: states.some(({ obstacles }) => obstacles.some(({ kind }) => behind.has(kind))),
    gaps: wanted.flatMap(({ gaps, registeredAt }) => [
      ...gaps.lost,
      ...(gaps.missing > 0 ? [{ from: gaps.missingFrom ?? registeredAt, until: now }] : []),
      ...(gaps.conflicts > 0 ? [{ from: gaps.conflictsFrom ?? registeredAt, until: now }] : []),
    ]),
  };
}

/** Why the number of a bucket may still change, or lacks crossings; of several stores all reasons. */
export const reasons = ['running', 'late', 'lost', 'not-started'] as const;

/* Bits of these reasons. */
const [running, late, lost] = [1, 2, 4];

/** The bit of a time in which the store had not begun to count. */
export const notStarted = 8;

/** The reasons, as bits, why the numbers of a time of a store, or of one of its devices, are incomplete at `now` (epoch ms). */
export function reasonsIn(
  { from, to }: { readonly from: number; readonly to: number } = { from: 0, to: 0 },
  { delivery, begin }: { readonly delivery: Delivery; readonly begin: number },
  now: number,
): number {
  const isLate = to > now ? delivery.isBehind : to > delivery.until;
  const isLost = delivery.gaps.some((gap) => gap.from < to && gap.until >= from);
  return (
    (to > now ? running : 0) | (isLate ? late : 0) | (isLost ? lost : 0) | (to <= begin ? notStarted : 0)
  );
}

/** The reasons, as bits, other than that a bucket is not over. */
export function withoutRunning(bits: number): number {
  return bits & ~running;
}

/** The names of reasons. */
export function namesOf(bits: number): (typeof reasons)[number][] {
  return reasons.filter((_, index) => (bits & (1 << index)) !== 0);
}
