import { compareJournals, deviceAfter } from '@visitor-counter/database/coverage/compare-journals';
import { orderNewJournals, requestMissing } from '@visitor-counter/database/coverage/request-missing';
import { recordGateway } from '@visitor-counter/database/devices/connections';
import { orderNightlyUpdates } from '@visitor-counter/database/devices/update-orders';
import type { Database } from '@visitor-counter/database/sql/connect';
import { errorFields, isDatabaseUnavailable } from '@visitor-counter/database/sql/unavailable';
import { repeat } from '@visitor-counter/service/repeat';
import type { GatewayParts } from '../gateway-parts.ts';

interface BackgroundParts extends GatewayParts {
  /** For the states of devices and gateways. */
  readonly statesDb: Database['kysely'];
  /** Whether messages are stored. */
  readonly isStoring: () => boolean;
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

/**
 * The most devices whose journals one statement compares, fewer after one that failed: so many that thousands are compared
 * before their next heartbeats replace the present ones, each of which has some of the lost sequences.
 */
const mostDevices = 1_000;

/**
 * Compares the journals of the next devices with what is stored, logs which gaps were found, and which are filled, requests
 * missing crossings from the units that have them, and new journals from units that write the same one. Of several gateways, one
 * at a time compares and requests.
 */
function recovery({ db, log }: BackgroundParts): () => Promise<void> {
  const compareNext = comparison(db, log);
  return async () => {
    for (const { serial, journal, missing, before, lost } of await compareNext()) {
      const about = { serial, journal };
      if (lost > 0) log.write('error', { ...about, lost }, 'crossings lost: the unit no longer has them');
      if (missing > before) log.write('warn', { ...about, missing }, 'crossings missing in the database');
      if (missing === 0 && before > 0) log.write('info', about, 'no crossings missing any more');
    }
    for (const ordered of await orderNewJournals(db)) {
      log.write('warn', ordered, 'two units write one journal: new journal requested');
    }
    for (const { deviceId: _, ...requested } of await requestMissing(db))
      log.write('warn', requested, 'missing crossings requested');
  };
}

/**
 * Returns a function that compares the journals of the next devices, and returns which have changed. Units can report so much
 * that a comparison takes too long: the next ones are about fewer devices, and one that cannot be compared alone is left out
 * until it is its turn again.
 */
function comparison(db: GatewayParts['db'], log: GatewayParts['log']) {
  let after = 0;
  let most = mostDevices;
  return async () => {
    try {
      const { last = after, changed = [] } = (await compareJournals(db, after, most)) ?? {};
      after = last;
      most = Math.min(2 * most, mostDevices);
      return changed;
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      log.write('warn', { ...errorFields(error), after, most }, 'journals not compared');
      if (most === 1) after = await deviceAfter(db, after);
      most = Math.ceil(most / 4);
      return [];
    }
  };
}

/** Orders the updates of the night; of several gateways, one does it. */
function updates({ db, log }: BackgroundParts): () => Promise<void> {
  return async () => {
    for (const ordered of await orderNightlyUpdates(db)) log.write('info', ordered, 'update ordered');
  };
}
