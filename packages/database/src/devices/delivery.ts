import { completenessOfDevice } from './completeness.ts';
import type { DeviceFacts } from './device-facts.ts';
import { noGaps } from './device-gaps.ts';

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

/** What the devices of a store have delivered at `now` (epoch ms). A device has nothing from before its registration. */
export function deliveryOf(devices: readonly DeviceFacts[], now: number): Delivery {
  const states = devices.map((device) => completenessOfDevice({ ...device, gaps: noGaps }, now));
  const untils = states.map(
    ({ completeUntil }, index) => completeUntil ?? devices[index]?.registered_at ?? now,
  );
  return {
    until: Math.min(...untils),
    isBehind: states.some(({ obstacles }) => obstacles.some(({ kind }) => behind.has(kind))),
    gaps: devices.flatMap(({ gaps, registered_at }) => [
      ...gaps.lost,
      ...(gaps.missing > 0 ? [{ from: gaps.missing_from ?? registered_at, until: now }] : []),
      ...(gaps.conflicts > 0 ? [{ from: gaps.conflicts_from ?? registered_at, until: now }] : []),
    ]),
  };
}
