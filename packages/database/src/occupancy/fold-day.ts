import { occupancyAfter, occupancyAtEnd, peakOccupancy } from '@visitor-counter/domain/occupancy';
import { readCrossings } from '../crossings/crossings.ts';
import type { Snapshot } from '../sql/snapshot.ts';
import type { CorrectionInForce } from './corrections.ts';
import { quarterOf, startOfQuarter } from './quarter.ts';
import type { QuarterState } from './quarter-states.ts';

/** What happened to the occupancy in a bucket: people inside at its end, the most at any time in it, and before each correction. */
export interface BucketOccupancy {
  occupancy: number;
  peak: number;
  readonly corrections: (CorrectionInForce & { readonly was: number })[];
}

/** A business day of a store that is folded from its quarter hours into its buckets. */
export interface DayFold {
  readonly storeId: number;
  readonly first: number;
  readonly next: number;
  readonly parts: readonly { readonly from: number; readonly to: number; readonly counts: BucketOccupancy }[];
  readonly corrections: readonly CorrectionInForce[];
  /** The first instant (epoch ms) whose crossings are kept. */
  readonly kept: number;
  readonly now: number;
}

/**
 * Folds the quarters of a day, given in order. Crossings are read only in a quarter hour with a correction, for the occupancy
 * before it, and in one with later crossings than now. Where crossings are no longer kept, `was` does not contain those of the
 * quarter hour.
 */
export async function foldDay(
  snapshot: Snapshot,
  { storeId, parts, corrections, kept, now }: DayFold,
  projected: readonly QuarterState[],
): Promise<void> {
  const states = withCorrected(projected, corrections);
  let occupancy = 0;
  let next = 0;
  for (const { to, counts } of parts) {
    Object.assign(counts, { occupancy, peak: occupancy });
    for (let state = states[next]; state && startOfQuarter(state.quarter) < to; state = states[next]) {
      next += 1;
      const { quarter, stretch, latest } = state;
      const begin = startOfQuarter(quarter);
      if (begin > now) continue;
      const entered = corrections.filter(({ at }) => quarterOf(at) === quarter);
      const part =
        entered.length > 0 || latest > now
          ? await readPart(snapshot, { storeId, from: begin, now, occupancy, corrections: entered })
          : undefined;
      counts.corrections.push(...(part?.corrections ?? []));
      const folded =
        part !== undefined && begin >= kept
          ? part
          : { occupancy: occupancyAtEnd(occupancy, stretch), peak: peakOccupancy(occupancy, stretch) };
      occupancy = folded.occupancy;
      Object.assign(counts, { occupancy, peak: Math.max(counts.peak, folded.peak) });
    }
  }
}

/** Adds the quarters of corrections that are not projected yet. */
function withCorrected(
  states: readonly QuarterState[],
  corrections: readonly CorrectionInForce[],
): readonly QuarterState[] {
  const known = new Set(states.map(({ quarter }) => quarter));
  const added = new Map(
    corrections.map(({ at }) => [quarterOf(at), { quarter: quarterOf(at), stretch: noStretch, latest: at }]),
  );
  const missing = [...added.values()].filter(({ quarter }) => !known.has(quarter));
  return missing.length === 0 ? states : [...states, ...missing].sort((a, b) => a.quarter - b.quarter);
}

const noStretch = { sum: 0, floor: 0, peakSum: 0, peakFloor: 0 };

/** A quarter hour that begins at `from` (epoch ms) with an occupancy. */
interface QuarterToRead {
  readonly storeId: number;
  readonly from: number;
  readonly now: number;
  readonly occupancy: number;
  readonly corrections: readonly CorrectionInForce[];
}

/** Folds the crossings and corrections of a quarter hour up to now. Its crossings may have been deleted because of their age. */
async function readPart(
  snapshot: Snapshot,
  { storeId, from, now, occupancy: before, corrections }: QuarterToRead,
): Promise<BucketOccupancy> {
  const found: BucketOccupancy = { occupancy: before, peak: before, corrections: [] };
  let next = 0;
  const set = (occupancy: number) => {
    found.occupancy = occupancy;
    found.peak = Math.max(found.peak, occupancy);
  };
  /* A correction applies after all crossings of its instant. */
  const correctBefore = (at: number) => {
    for (let due = corrections[next]; due !== undefined && due.at < at; due = corrections[next]) {
      found.corrections.push({ ...due, was: found.occupancy });
      set(due.people);
      next += 1;
    }
  };
  const to = Math.min(startOfQuarter(quarterOf(from) + 1), now + 1);
  for await (const { crossings } of readCrossings(snapshot, [{ storeId, from, to }])) {
    for (let index = 0; index < crossings.length; index += 1) {
      correctBefore(crossings.at[index] ?? 0);
      set(occupancyAfter(found.occupancy, (crossings.signedJournal[index] ?? 0) > 0 ? 1 : -1));
    }
  }
  correctBefore(Number.POSITIVE_INFINITY);
  return found;
}
