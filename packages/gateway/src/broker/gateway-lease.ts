import { forgetDeadGateways, renewGatewayLease } from '@visitor-counter/database/devices/gateway-life';
import type { Database } from '@visitor-counter/database/sql/connect';
import { atIntervals, type Repeated } from '@visitor-counter/service/at-intervals';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import { aboutError } from '../log/error-fields.ts';

export interface GatewayLifeOptions {
  readonly pool: Database['pool'];
  /** Of this process alone: a gateway that is started anew holds nothing of what the one before it held. */
  readonly gatewayId: string;
  /** How long what this gateway says of its connections is believed after it was last heard of (ms). */
  readonly lease: number;
  readonly log: Logger;
}

/** In one lease, so that all but one of them may fail. */
const renewals = 7;

/**
 * Tells in the database, until it is closed, that this gateway lives, and with it the connections that it holds. It
 * says nothing at its end: the units that it could tell of are offline by then, the others are when its lease is over.
 */
export function tellGatewayLife({ pool, gatewayId, lease, log }: GatewayLifeOptions): Repeated {
  const bounded = new BoundedLog(log);
  const onError = (error: unknown) => bounded.write('warn', aboutError(error), 'gateway lease not renewed');
  const renew = () => renewGatewayLease(pool, gatewayId, lease);
  renew()
    .then(() => forgetDeadGateways(pool))
    .catch(onError);
  return atIntervals(lease / renewals, renew, onError);
}
