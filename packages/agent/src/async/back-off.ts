export interface BackOffSettings {
  /** Bound of the first pause (ms); doubles with every further failure. */
  readonly base: number;
  /** Bound of every pause (ms). */
  readonly cap: number;
}

export const defaultBackOff: BackOffSettings = { base: 500, cap: 30_000 };

/**
 * How long to wait (ms) after the n-th failure in a row, n from 1 on. Full jitter: anything from 0 to the
 * bound, so that the units of a whole fleet do not come back together. `random` is in [0, 1).
 */
export function backOff(failures: number, random: number, { base, cap }: BackOffSettings): number {
  return Math.floor(random * Math.min(cap, base * 2 ** (failures - 1)));
}
