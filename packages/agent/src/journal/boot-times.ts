import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import type { BootTime } from '../clock/unit-clock.ts';

/** A boot with journaled crossings whose instants are not known yet. */
export interface UndatedBoot {
  readonly boot: string;
  /** The boot's begin according to its own clock, which was never set. */
  readonly claimed: EpochMs;
  /** The moment of its last crossing. */
  readonly last: MonotonicMs;
  /** The latest instant that is known to be before it; 0 when there is none. */
  readonly after: EpochMs;
}

export interface DatedBoot extends BootTime {
  readonly boot: string;
}

/** The undated boots of several databases, each boot once. */
export function mergedBoots(boots: readonly UndatedBoot[]): UndatedBoot[] {
  const merged = new Map<string, UndatedBoot>();
  for (const one of boots) {
    const other = merged.get(one.boot);
    merged.set(one.boot, other && other.last > one.last ? other : { ...other, ...one });
  }
  return [...merged.values()];
}
