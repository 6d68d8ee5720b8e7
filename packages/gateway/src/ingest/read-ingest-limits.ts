import type { DeviceLimits } from '@visitor-counter/database/journals/device-limits';
import { type Environment, wholeNumber } from '@visitor-counter/service/environment';

/** What the gateway stores of one device at most; what exceeds it is kept as rejected. */
export interface IngestLimits extends DeviceLimits {
  /** How old a crossing may be when it arrives (ms). */
  readonly maxAge: number;
}

const day = 24 * 60 * 60 * 1_000;
const most = 1_000_000_000;

/** Reads the limits; throws a ConfigurationError on garbage. */
export function readIngestLimits(env: Environment): IngestLimits {
  const number = (name: string, fallback: number, max = most) =>
    wholeNumber(env, name, { min: 1, max }) ?? fallback;
  return {
    maxAge: day * number('INGEST_MAX_AGE_DAYS', 400, 100_000),
    crossingsPerDay: number('INGEST_CROSSINGS_PER_DAY', 100_000),
    crossingsPer30Days: number('INGEST_CROSSINGS_PER_30_DAYS', 2_000_000),
    journalsPerDay: number('INGEST_JOURNALS_PER_DAY', 100),
    journals: number('INGEST_JOURNALS', 1_000),
  };
}
