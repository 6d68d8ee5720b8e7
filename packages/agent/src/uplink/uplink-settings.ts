import type { BackOffOptions } from '@visitor-counter/service/back-off';
import type { acknowledgements } from '../config/agent-config.ts';

/** Who the unit is and where it delivers. */
export interface Account {
  /** `mqtt://host:port` or `mqtts://host:port`. */
  readonly server: string;
  readonly serial: string;
  readonly secret: string;
  /** The certificates that the server's must be signed by, PEM; those that the system trusts when left out. */
  readonly ca?: string;
  /** Whether the machine's clock is known to be right. Where it is not, certificates are not judged by it. */
  readonly isClockSet?: () => boolean;
}

/** How the uplink delivers; times in milliseconds. */
export interface UplinkSettings {
  readonly acknowledgement: (typeof acknowledgements)[number];
  /** Messages on their way at once. */
  readonly window: number;
  readonly crossingsPerMessage: number;
  readonly heartbeatEvery: number;
  /** MQTT keep-alive in seconds. */
  readonly keepAlive: number;
  /** How long a connection may take to be accepted. */
  readonly connectWithin: number;
  /** A connection that owes a PUBACK and gives none for this long is given up. */
  readonly progressWithin: number;
  /** Where nothing is committed for this long, it is sent again; then after twice, and after four times as long. */
  readonly commitWithin: number;
  /** A connection that held this long was healthy: the back-off starts anew. */
  readonly healthyAfter: number;
  /** How long a clean stop tries to deliver what is pending. */
  readonly drainWithin: number;
  /** How long a clean stop tries, also by new connections, to deliver what only memory has. */
  readonly drainHeldWithin: number;
  readonly backOff: BackOffOptions;
}

export const defaultUplinkSettings: UplinkSettings = {
  acknowledgement: 'puback',
  window: 64,
  crossingsPerMessage: 100,
  heartbeatEvery: 60_000,
  keepAlive: 30,
  connectWithin: 30_000,
  progressWithin: 30_000,
  commitWithin: 30_000,
  healthyAfter: 60_000,
  drainWithin: 2_000,
  // With the time for everything else, less than a service has for its end.
  drainHeldWithin: 5_000,
  backOff: { first: 500, longest: 30_000 },
};
