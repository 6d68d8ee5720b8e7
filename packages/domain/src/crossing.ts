/** One person through the door: +1 came in, -1 went out. */
export type Direction = 1 | -1;

/** A crossing as a unit's journal numbers it. */
export interface Crossing {
  /** Epoch milliseconds, UTC. */
  readonly at: number;
  readonly direction: Direction;
}

/** A crossing with everything that decides its place among the others of a store. */
export interface PlacedCrossing extends Crossing {
  readonly device: number;
  readonly journal: string;
  readonly sequence: number;
}

/**
 * The order in which crossings act on a store's occupancy: instant, device, journal, sequence.
 * Total over all crossings of a company, so that every reader folds them alike.
 */
export function compareCrossings(a: PlacedCrossing, b: PlacedCrossing): number {
  return (
    a.at - b.at || a.device - b.device || compareCodePoints(a.journal, b.journal) || a.sequence - b.sequence
  );
}

/** Orders strings by their UTF-8 bytes, as PostgreSQL's collation "C" does. */
export function compareCodePoints(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}
