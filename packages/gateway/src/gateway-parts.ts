import type { Database } from '@visitor-counter/database/sql/connect';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import type { Logger } from '@visitor-counter/service/logger';
import type { Backpressure } from './backpressure/backpressure.ts';
import type { ListenerLimits } from './listener/connection-limits.ts';
import type { GatewayInstruments } from './metrics/gateway-instruments.ts';
import type { GatewayLimits } from './start/config.ts';

/** What all parts of one gateway share. */
export interface GatewayParts {
  readonly db: Database['kysely'];
  /** In the database, the connections of units belong to this id. */
  readonly gatewayId: string;
  readonly limits: GatewayLimits & ListenerLimits;
  readonly backpressure: Backpressure;
  readonly instruments: GatewayInstruments;
  /** For events that clients can cause. */
  readonly log: BoundedLog;
  /** For the gateway's own events. */
  readonly ownLog: Logger;
}
