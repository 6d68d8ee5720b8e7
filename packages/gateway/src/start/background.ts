import { recordIngestLife } from '@visitor-counter/database/alerts/ingest-life';
import {
  findIncompleteJournals,
  orderNewJournals,
  requestMissing,
} from '@visitor-counter/database/coverage/request-missing';
import type { Database } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { repeat } from '@visitor-counter/service/repeat';
import { compareJournals } from '../journals/journal-coverage.ts';
import type { GatewayLimits } from './config.ts';

interface BackgroundOptions {
  readonly database: Database;
  readonly gatewayId: string;
  /** Whether messages are stored. */
  readonly isStoring: () => boolean;
  readonly limits: Pick<GatewayLimits, 'recoveryInterval'>;
  readonly log: BoundedLog;
}

/** Well below the time after which the alert for a gateway that does not store is raised (ms). */
const ingestInterval = 2_000;

/**
 * The periodic work of a gateway: it records in the database that messages are stored, and requests missing
 * crossings.
 */
export function startBackground(options: BackgroundOptions): { close: () => Promise<void> } {
  const { database, gatewayId, isStoring, limits, log } = options;
  const every = (interval: number, work: (signal: AbortSignal) => Promise<unknown>, failure: string) =>
    repeat(interval, work, (error) => log.write('warn', errorFields(error), failure));
  const recordStoring = async () => {
    if (isStoring()) await recordIngestLife(database.pool, gatewayId);
  };
  const repetitions = [
    every(ingestInterval, recordStoring, 'ingest state not written'),
    every(limits.recoveryInterval, recovery(options), notRequested),
  ];
  return {
    close: async () => {
      await Promise.all(repetitions.map((one) => one.close()));
    },
  };
}

const notRequested = 'missing crossings not requested';

/** The most journals in one round. */
const most = 100;

/**
 * Compares journals with missing crossings again, requests these from the units that have them, and new journals from units
 * that write the same one. Several gateways may do this at the same time.
 */
function recovery({ database, log }: BackgroundOptions): () => Promise<void> {
  const { kysely } = database;
  let after = 0;
  return async () => {
    for (const ordered of await orderNewJournals(kysely)) {
      log.write('warn', ordered, 'two units write one journal: new journal requested');
    }
    const journals = await findIncompleteJournals(kysely, after, most);
    after = journals.length < most ? 0 : (journals.at(-1)?.id ?? 0);
    await compareJournals(kysely, log, journals);
    for (const { deviceId: _, ...requested } of await requestMissing(kysely))
      log.write('warn', requested, 'missing crossings requested');
  };
}
