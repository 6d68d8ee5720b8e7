import { recordIngestLife } from '@visitor-counter/database/alerts/ingest-life';
import { orderNewJournals } from '@visitor-counter/database/coverage/cloned-journals';
import {
  findDevicesWithGaps,
  type Recovery,
  recoverDevice,
} from '@visitor-counter/database/coverage/recover-device';
import { judgeDirections } from '@visitor-counter/database/occupancy/judge-directions';
import type { Database } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { repeat } from '@visitor-counter/service/repeat';
import type { GatewayLimits } from './config.ts';

interface BackgroundOptions {
  readonly database: Database;
  /** Whether messages are stored. */
  readonly isStoring: () => boolean;
  readonly limits: Pick<GatewayLimits, 'recoveryInterval' | 'directionInterval'>;
  readonly log: BoundedLog;
}

/** Well below the time after which the alert for a gateway that does not store is raised (ms). */
const ingestInterval = 2_000;

/**
 * The periodic work of a gateway: it records in the database that messages are stored, requests missing
 * crossings, and finds stores that count in the wrong direction.
 */
export function startBackground(options: BackgroundOptions): { close: () => Promise<void> } {
  const { database, isStoring, limits, log } = options;
  const every = (interval: number, work: (signal: AbortSignal) => Promise<unknown>, failure: string) =>
    repeat(interval, work, (error) => log.write('warn', errorFields(error), failure));
  const recordStoring = async () => {
    if (isStoring()) await recordIngestLife(database.pool);
  };
  const judge = () => judgeDirections(database, Date.now());
  const repetitions = [
    every(ingestInterval, recordStoring, 'ingest state not written'),
    every(limits.directionInterval, judge, 'directions not evaluated'),
    every(limits.recoveryInterval, recovery(options), notRequested),
  ];
  return {
    close: async () => {
      await Promise.all(repetitions.map((one) => one.close()));
    },
  };
}

const notRequested = 'missing crossings not requested';

/** The most devices in one round. */
const most = 100;

/**
 * Requests missing crossings from the units that have them, and new journals from units that write the same one. Several
 * gateways may do this at the same time: requests for one device are serialized by a row lock.
 */
function recovery({ database, log }: BackgroundOptions): (signal: AbortSignal) => Promise<void> {
  let after = 0;
  return async (signal) => {
    for (const ordered of await orderNewJournals(database.kysely)) {
      log.write('warn', ordered, 'two units write one journal: new journal requested');
    }
    const devices = await findDevicesWithGaps(database.kysely, after, most);
    after = devices.length < most ? 0 : (devices.at(-1)?.id ?? 0);
    for (const { id, serial } of devices) {
      if (signal.aborted) return;
      await recoverDevice(database, id).then(
        (found) => report(log, serial, found),
        (error) => log.write('warn', errorFields(error), notRequested),
      );
    }
  };
}

function report(log: BoundedLog, serial: string, { missing, lost, requested }: Recovery): void {
  if (lost > 0) log.write('error', { serial, lost }, 'crossings lost: the unit no longer has them');
  if (requested) log.write('warn', { serial, missing, ...requested }, 'missing crossings requested');
  if (missing === 0) log.write('info', { serial }, 'no crossings missing any more');
}
