import type { EpochMs } from './time.ts';

/** The direction of a person through a door: 1 in, -1 out. */
export type Direction = 1 | -1;

/** One person through a door. */
export interface Crossing {
  readonly at: EpochMs;
  readonly direction: Direction;
}

/** A crossing in a unit's journal and on the wire. */
export interface NumberedCrossing extends Crossing {
  /** The number of the crossing in its journal: 1, 2, 3, … */
  readonly sequence: number;
  /** How far `at` may be off (ms); 0 or missing for a clock that was right. */
  readonly uncertainty?: number;
}

/** A crossing with its key: everything that determines its place in the order of a store's crossings. */
export interface KeyedCrossing extends Crossing {
  readonly device: number;
  readonly journal: string;
  readonly sequence: number;
}
