import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';

/**
 * The clock that stamps edges. `monotonic`: CLOCK_MONOTONIC, which counts from the start of the machine. `epoch`: the clock
 * of a recording or a simulation, which shows the dates of that: its moments are milliseconds since 1970.
 */
export type StampClock = 'epoch' | 'monotonic';

/** Marks a number that was read from a monotonic clock. */
export function monotonicMs(value: number): MonotonicMs {
  return value as MonotonicMs;
}

/** CLOCK_MONOTONIC, with which the kernel stamps edges and which cannot be set. */
export function monotonicNow(): MonotonicMs {
  return monotonicMs(Number(process.hrtime.bigint()) / 1e6);
}

/** Later than every moment: nothing more can come. */
export const endOfTime = monotonicMs(Number.POSITIVE_INFINITY);

/** Earlier than every moment. */
export const beginOfTime = monotonicMs(Number.NEGATIVE_INFINITY);

export function later(moment: MonotonicMs, ms: number): MonotonicMs {
  return monotonicMs(moment + ms);
}

export function earliest(...moments: readonly MonotonicMs[]): MonotonicMs {
  return monotonicMs(Math.min(...moments));
}

export function latest(...moments: readonly MonotonicMs[]): MonotonicMs {
  return monotonicMs(Math.max(...moments));
}

/** The moment of an instant on the clock of a recording or a simulation (`epoch`). */
export function recordedMoment(at: EpochMs): MonotonicMs {
  return monotonicMs(at);
}

/** The instant, a whole number, of a moment of a boot that began at `offset`. */
export function instantOf(moment: MonotonicMs, offset: EpochMs): EpochMs {
  return Math.max(0, Math.round(offset + moment));
}

/** The instant at which a clock was 0, according to the wall clock as it is set now. For display only. */
export function displayedOffset(clock: StampClock): EpochMs {
  return clock === 'epoch' ? 0 : Date.now() - monotonicNow();
}
