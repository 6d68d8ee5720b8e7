import { orderNewJournals } from '@visitor-counter/database/coverage/order-new-journals';
import {
  findDevicesWithGaps,
  type Recovery,
  recoverDevice,
} from '@visitor-counter/database/coverage/recover-device';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';
import { errorFields } from '../log/log-fields.ts';

export interface RecoveryWatchOptions {
  readonly database: Database;
  /** From the end of one round to the next (ms). */
  readonly interval: number;
  /** How long crossings must be missing before they are requested (ms). */
  readonly patience: number;
  readonly log: BoundedLog;
}

/** The most devices in one round. */
const most = 100;

/**
 * Requests missing crossings from the units that have them, and new journals from units that write the same one. Several
 * gateways may do this at the same time: requests for one device are serialized by a row lock.
 */
export function watchRecovery({ database, interval, patience, log }: RecoveryWatchOptions): Repetition {
  let after = 0;
  const onError = (error: unknown) =>
    log.write('warn', errorFields(error), 'missing crossings not requested');
  const round = async (signal: AbortSignal) => {
    for (const ordered of await orderNewJournals(database.kysely)) {
      log.write('warn', ordered, 'two units write one journal: new journal requested');
    }
    const devices = await findDevicesWithGaps(database.pool, after, most);
    after = devices.length < most ? 0 : (devices.at(-1) ?? 0);
    for (const deviceId of devices) {
      if (signal.aborted) return;
      await recoverDevice(database, deviceId, patience).then((found) => report(log, found), onError);
    }
  };
  return repeat(interval, round, onError);
}

function report(log: BoundedLog, { serial, missing, lost, requested }: Recovery): void {
  if (lost > 0) log.write('error', { serial, lost }, 'crossings lost: the unit no longer has them');
  if (requested) log.write('warn', { serial, missing, ...requested }, 'missing crossings requested');
  if (missing === 0) log.write('info', { serial }, 'no crossings missing any more');
}
