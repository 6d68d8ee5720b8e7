import {
  deleteDeadGateways,
  findEndedSessions,
  renewGatewayLease,
} from '@visitor-counter/database/devices/connections';
import type { Database } from '@visitor-counter/database/sql/connect';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';
import { errorFields } from '../log/log-fields.ts';
import type { Sessions } from './sessions.ts';

export interface SessionWatchOptions {
  readonly pool: Database['pool'];
  readonly sessions: Sessions;
  /** From the end of one round to the next (ms). */
  readonly interval: number;
  readonly log: BoundedLog;
}

/** Sessions in one statement: few enough that sending them does not delay other work. */
const chunk = 1_000;

/**
 * Closes connections of devices that have connected to another gateway, or whose secret was changed or revoked. While
 * the database is unavailable no connection is closed.
 */
export function watchSessions({ pool, sessions, interval, log }: SessionWatchOptions): Repetition {
  const closeEnded = async (signal: AbortSignal) => {
    const all = sessions.all();
    for (let start = 0; start < all.length && !signal.aborted; start += chunk) {
      const checked = all.slice(start, start + chunk);
      for (const index of await findEndedSessions(pool, checked)) {
        const session = checked[index];
        if (session === undefined) continue;
        session.endReason ??= 'the unit is connected to another gateway, or its secret has changed';
        session.client.close();
      }
    }
  };
  return repeat(interval, closeEnded, (error) =>
    log.write('warn', errorFields(error), 'connections not compared with the database'),
  );
}

export interface GatewayLeaseOptions {
  readonly pool: Database['pool'];
  /** New for each process: a restarted gateway has none of the connections of the one before. */
  readonly gatewayId: string;
  /** How long the connections of this gateway count as open after its last renewal (ms). */
  readonly lease: number;
  readonly log: BoundedLog;
}

/** Renewals per lease, so that all but one of them may fail. */
const renewals = 7;

/**
 * Renews this gateway's lease in the database until it is closed: devices are online while the lease of their gateway
 * is valid. Closing does not end the lease: a stopping gateway writes its units offline, and those that it could not
 * write are offline when the lease expires.
 */
export function renewLease({ pool, gatewayId, lease, log }: GatewayLeaseOptions): Repetition {
  let isFirst = true;
  const renew = async () => {
    await renewGatewayLease(pool, gatewayId, lease);
    if (isFirst) await deleteDeadGateways(pool);
    isFirst = false;
  };
  const onError = (error: unknown) => log.write('warn', errorFields(error), 'gateway lease not renewed');
  return repeat(lease / renewals, renew, onError);
}
