import type { Database } from '@visitor-counter/database/sql/connect';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { aboutError } from '../log/error-fields.ts';
import { JournalCoverage, type JournalCoverageOptions } from './journal-coverage.ts';

export interface CoverageOptions extends Pick<JournalCoverageOptions, 'publishCommitted'> {
  readonly pool: Database['pool'];
  readonly log: Logger;
}

/** Compares units' journals with the database, and logs what is missing. */
export function startCoverage({ log, ...options }: CoverageOptions): JournalCoverage {
  const bounded = new BoundedLog(log);
  return new JournalCoverage({
    ...options,
    onIncomplete: (facts) => bounded.write('warn', facts, 'crossings missing in the database'),
    onError: (error) => bounded.write('warn', aboutError(error), 'journals not compared with the database'),
  });
}
