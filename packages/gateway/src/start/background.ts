import { recordIngestLife } from '@visitor-counter/database/alerts/ingest-life';
import { judgeDirections } from '@visitor-counter/database/occupancy/judge-directions';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { repeat } from '@visitor-counter/service/repeat';
import { watchRecovery } from '../journals/recovery-watch.ts';
import { errorFields } from '../log/log-fields.ts';

export interface BackgroundOptions {
  readonly database: Database;
  /** Whether messages are stored. */
  readonly isStoring: () => boolean;
  /** From the end of one search for missing crossings to the next (ms). */
  readonly recoveryInterval: number;
  /** How long crossings must be missing before they are requested (ms). */
  readonly patience: number;
  /** From the end of one evaluation of the stores' directions to the next (ms). */
  readonly directionInterval: number;
  readonly log: BoundedLog;
}

/** Well below the time after which the alert for a gateway that does not store is raised (ms). */
const ingestInterval = 2_000;

/**
 * The periodic work of a gateway, with any broker: it records in the database that messages are stored, requests missing
 * crossings, and finds stores that count in the wrong direction.
 */
export function startBackground(options: BackgroundOptions): { close: () => Promise<void> } {
  const { database, isStoring, recoveryInterval, patience, directionInterval, log } = options;
  const failed = (message: string) => (error: unknown) => log.write('warn', errorFields(error), message);
  const noteStoring = async () => {
    if (isStoring()) await recordIngestLife(database.pool);
  };
  const repetitions = [
    repeat(ingestInterval, noteStoring, failed('ingest state not written')),
    repeat(
      directionInterval,
      () => judgeDirections(database, Date.now()),
      failed('directions not evaluated'),
    ),
    watchRecovery({ database, interval: recoveryInterval, patience, log }),
  ];
  return {
    close: async () => {
      await Promise.all(repetitions.map((one) => one.close()));
    },
  };
}
