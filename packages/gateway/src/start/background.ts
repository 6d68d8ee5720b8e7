import { findEndedJournals } from '@visitor-counter/database/coverage/ended-journals';
import {
  findIncompleteJournals,
  orderNewJournals,
  requestMissing,
} from '@visitor-counter/database/coverage/request-missing';
import { recordGateway } from '@visitor-counter/database/devices/connections';
import { orderNightlyUpdates } from '@visitor-counter/database/devices/update-orders';
import type { Database } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import { repeat } from '@visitor-counter/service/repeat';
import type { GatewayParts } from '../gateway-parts.ts';
import { compareJournals, type JournalReports } from '../journals/compare-journals.ts';

interface BackgroundParts extends GatewayParts {
  /** For the states of devices and gateways. */
  readonly statesDb: Database['kysely'];
  /** Whether messages are stored. */
  readonly isStoring: () => boolean;
  readonly reports: JournalReports;
}

/** Renewals per lease, so that all but one of them may fail. */
const renewals = 7;

/**
 * The periodic work of a gateway: it records in the database that it runs and whether messages are stored, compares journals
 * with what is stored, requests missing crossings, and orders updates of units.
 */
export function startBackground(parts: BackgroundParts): { close: () => Promise<void> } {
  const { limits, log } = parts;
  const every = (interval: number, work: (signal: AbortSignal) => Promise<unknown>, failure: string) =>
    repeat(interval, work, (error) => log.write('warn', errorFields(error), failure));
  const repetitions = [
    every(limits.lease / renewals, lease(parts), 'gateway lease not renewed'),
    every(limits.recoveryInterval, recovery(parts), 'missing crossings not requested'),
    every(limits.updateInterval, updates(parts), 'updates of units not ordered'),
  ];
  return {
    close: async () => {
      await Promise.all(repetitions.map((one) => one.close()));
    },
  };
}

/**
 * Renews this gateway's lease in the database until it is closed: devices are online while the lease of their gateway
 * is valid. Closing does not end the lease: a stopping gateway writes its units offline, and those that it could not
 * write are offline when the lease expires.
 */
function lease({ statesDb, gatewayId, isStoring, limits }: BackgroundParts): () => Promise<void> {
  return () => recordGateway(statesDb, { gatewayId, lease: limits.lease, isStoring: isStoring() });
}

/** The most journals in one round. */
const most = 100;

/**
 * Compares journals that units have reported, and those with missing crossings again; requests these from the units that have
 * them, and new journals from units that write the same one. Several gateways may do this at the same time.
 */
function recovery({ db, reports, log }: BackgroundParts): () => Promise<void> {
  let after = 0;
  return async () => {
    const reported = reports.take();
    await compareJournals(db, log, reported);
    await compareJournals(db, log, await findEndedJournals(db, reported));
    for (const ordered of await orderNewJournals(db)) {
      log.write('warn', ordered, 'two units write one journal: new journal requested');
    }
    const journals = await findIncompleteJournals(db, after, most);
    after = journals.length < most ? 0 : (journals.at(-1)?.id ?? 0);
    await compareJournals(db, log, journals);
    for (const { deviceId: _, ...requested } of await requestMissing(db))
      log.write('warn', requested, 'missing crossings requested');
  };
}

/** Orders the updates of the night; of several gateways, one does it. */
function updates({ db, log }: BackgroundParts): () => Promise<void> {
  return async () => {
    for (const ordered of await orderNightlyUpdates(db)) log.write('info', ordered, 'update ordered');
  };
}
