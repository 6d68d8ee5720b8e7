import type { Database } from '@visitor-counter/database/connect';
import { findOpenOrders, type OpenOrder } from '@visitor-counter/database/ingest/open-orders';
import type { Logger } from '@visitor-counter/service/logger';
import { encodeCommand } from '@visitor-counter/wire/command-message';
import { encodeConfig } from '@visitor-counter/wire/config-message';
import { maxReportedCommands } from '@visitor-counter/wire/limits';
import { type GatewayChannel, topic } from '@visitor-counter/wire/topics';
import { aboutError } from '../start/about-error.ts';
import { atIntervals, type Repeated } from '../start/at-intervals.ts';
import type { Session } from './session.ts';

export interface OrderWatchOptions {
  readonly pool: Database['pool'];
  /** The connections to this gateway. */
  readonly sessions: () => Iterable<Session>;
  readonly publish: (topic: string, payload: string) => void;
  /** How long from the end of one round to the next (ms). */
  readonly interval: number;
  readonly log: Logger;
}

/** Sessions in one statement: few enough that publishing their orders does not delay other work. */
const chunk = 1_000;

/**
 * Publishes settings and commands to the units that are connected here. They are in the database, whichever gateway a
 * unit is connected to; each is published again and again until a heartbeat reports it.
 */
export class OrderWatch {
  readonly #options: OrderWatchOptions;
  readonly #rounds: Repeated;

  constructor(options: OrderWatchOptions) {
    const { interval, log } = options;
    this.#options = options;
    this.#rounds = atIntervals(
      interval,
      (signal) => this.#publishOpen(signal),
      (error) => log.warn(aboutError(error), 'orders of units cannot be read'),
    );
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  async #publishOpen(signal: AbortSignal): Promise<void> {
    const { pool, sessions, publish } = this.#options;
    const serials = new Map([...sessions()].map(({ deviceId, serial }) => [deviceId, serial]));
    const ids = [...serials.keys()];
    for (let start = 0; start < ids.length && !signal.aborted; start += chunk) {
      const some = ids.slice(start, start + chunk);
      for (const order of await findOpenOrders(pool, some, maxReportedCommands)) {
        const serial = serials.get(order.deviceId);
        if (serial !== undefined) publish(topic(serial, channels[order.kind]), payloadOf(order));
      }
    }
  }
}

const channels: Readonly<Record<OpenOrder['kind'], GatewayChannel>> = {
  config: 'config',
  command: 'commands',
};

function payloadOf({ kind, id, content }: OpenOrder): string {
  return kind === 'config'
    ? encodeConfig({ revision: id, settings: content })
    : encodeCommand({ ...content, id });
}
