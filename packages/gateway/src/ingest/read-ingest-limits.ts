import type { DeviceLimits } from '@visitor-counter/database/journals/journal-ids';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { wholeNumber } from '@visitor-counter/service/settings/kinds';
import { readSettings, type Settings } from '@visitor-counter/service/settings/setting';

/** What the gateway stores for one device at most; crossings beyond that are kept as rejected messages. */
export interface IngestLimits extends DeviceLimits {
  /** How old a crossing may be when it arrives (ms). */
  readonly maxAge: number;
}

const day = 24 * 60 * 60 * 1_000;
const count = wholeNumber(1, 1_000_000_000);

export const ingestLimitSettings = {
  INGEST_MAX_AGE_DAYS: {
    kind: wholeNumber(1, 100_000),
    default: '400',
    does: 'Greatest age of a crossing when it arrives, in days.',
  },
  INGEST_CROSSINGS_PER_DAY: {
    kind: count,
    default: '100000',
    does: 'Crossings of one device with instants on one day of UTC.',
  },
  INGEST_CROSSINGS_PER_30_DAYS: {
    kind: count,
    default: '2000000',
    does: 'Crossings of one device, newly stored within 30 days.',
  },
  INGEST_JOURNALS_PER_DAY: {
    kind: count,
    default: '100',
    does: 'New journals of one device within 24 hours.',
  },
  INGEST_JOURNALS: { kind: count, default: '1000', does: 'Journals of one device.' },
} satisfies Settings;

/** Reads the limits; throws a ConfigurationError for a value that cannot be used. */
export function readIngestLimits(env: Environment): IngestLimits {
  const settings = readSettings(ingestLimitSettings, env);
  return {
    maxAge: day * settings.INGEST_MAX_AGE_DAYS,
    crossingsPerDay: settings.INGEST_CROSSINGS_PER_DAY,
    crossingsPer30Days: settings.INGEST_CROSSINGS_PER_30_DAYS,
    journalsPerDay: settings.INGEST_JOURNALS_PER_DAY,
    journals: settings.INGEST_JOURNALS,
  };
}
