import { deleteDeadGateways, renewGatewayLease } from '@visitor-counter/database/devices/connections';
import type { Database } from '@visitor-counter/database/sql/connect';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';
import { errorFields } from '../log/log-fields.ts';

export interface GatewayLeaseOptions {
  readonly pool: Database['pool'];
  /** New for each process: a restarted gateway has none of the connections of the one before. */
  readonly gatewayId: string;
  /** How long the connections of this gateway count as open after its last renewal (ms). */
  readonly lease: number;
  readonly log: Logger;
}

/** Renewals per lease, so that all but one of them may fail. */
const renewals = 7;

/**
 * Renews this gateway's lease in the database until it is closed: devices are online while the lease of their gateway
 * is valid. Closing does not end the lease: a stopping gateway writes its units offline, and those that it could not
 * write are offline when the lease expires.
 */
export function renewLease({ pool, gatewayId, lease, log }: GatewayLeaseOptions): Repetition {
  const bounded = new BoundedLog(log);
  let isFirst = true;
  const renew = async () => {
    await renewGatewayLease(pool, gatewayId, lease);
    if (isFirst) await deleteDeadGateways(pool);
    isFirst = false;
  };
  const onError = (error: unknown) => bounded.write('warn', errorFields(error), 'gateway lease not renewed');
  return repeat(lease / renewals, renew, onError);
}
