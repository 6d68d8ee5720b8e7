import { deleteDeadGateways, renewGatewayLease } from '@visitor-counter/database/devices/connections';
import type { Database } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';

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
  let hasCleaned = false;
  const renew = async () => {
    await renewGatewayLease(pool, gatewayId, lease);
    if (!hasCleaned) await deleteDeadGateways(pool);
    hasCleaned = true;
  };
  const onError = (error: unknown) => log.write('warn', errorFields(error), 'gateway lease not renewed');
  return repeat(lease / renewals, renew, onError);
}
