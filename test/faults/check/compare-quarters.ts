import type { TrueCrossing, UnitTruth } from '../truth/unit-truth.ts';

/** The projection of a quarter hour: turns an occupancy x into the larger of `floor` and x + `sum`. */
export interface StoredQuarter {
  readonly sid: string;
  /** Quarter hours since 1970, UTC. */
  readonly quarter: number;
  readonly sum: number;
  readonly floor: number;
}

/** Occupancies with which the state of a quarter hour is tested. */
const tried = [0, 1, 2, 5, 20, 100_000];

/**
 * How many quarter hours have a state that differs from the fold of their crossings. `truths` are in the order of the
 * devices' ids.
 */
export function wrongQuarters(truths: readonly UnitTruth[], quarters: readonly StoredQuarter[]): number {
  const truth = crossingsByQuarter(truths);
  const kept = new Map(quarters.map((quarter) => [`${quarter.sid} ${quarter.quarter}`, quarter]));
  const keys = new Set([...truth.keys(), ...kept.keys()]);
  return [...keys].filter((key) => !agrees(kept.get(key), truth.get(key) ?? [])).length;
}

function agrees(quarter: StoredQuarter | undefined, crossings: readonly TrueCrossing[]): boolean {
  const { sum = 0, floor = 0 } = quarter ?? {};
  return tried.every(
    (before) =>
      Math.max(floor, before + sum) ===
      crossings.reduce((inside, { direction }) => Math.max(0, inside + direction), before),
  );
}

function crossingsByQuarter(truths: readonly UnitTruth[]): Map<string, TrueCrossing[]> {
  const all = truths.flatMap(({ crossings, assignments }, device) =>
    crossings.map((crossing) => ({ ...crossing, device, sid: assignments.storeAt(crossing.at) })),
  );
  all.sort((a, b) => a.at - b.at || a.device - b.device);
  return Map.groupBy(all, ({ sid, at }) => `${sid} ${Math.floor(at / 900_000)}`);
}
