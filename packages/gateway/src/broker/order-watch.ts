import type { Database } from '@visitor-counter/database/connect';
import { findOpenOrders, type OpenOrder } from '@visitor-counter/database/ingest/open-orders';
import type { Logger } from '@visitor-counter/service/logger';
import { encodeCommand } from '@visitor-counter/wire/command-message';
import { encodeConfig } from '@visitor-counter/wire/config-message';
import { type GatewayChannel, topic } from '@visitor-counter/wire/topics';
import { aboutError } from '../start/about-error.ts';
import { atIntervals, type Repeated } from '../start/at-intervals.ts';
import type { Session } from './session.ts';

export interface OrderWatchOptions {
  readonly pool: Database['pool'];
  /** The sessions that are held here. */
  readonly sessions: () => Iterable<Session>;
  readonly publish: (topic: string, payload: string) => void;
  /** How long between the end of a look and the next (ms). */
  readonly interval: number;
  readonly log: Logger;
}

/** Sessions in one statement: few enough that sending them holds nothing else up. */
const chunk = 1_000;

/**
 * Tells units what operators ask of them. What is asked lies in the database, whichever gateway a unit is at; it
 * is said again and again to a unit that is connected here, until a heartbeat of it answers.
 */
export class OrderWatch {
  readonly #options: OrderWatchOptions;
  readonly #looks: Repeated;

  constructor(options: OrderWatchOptions) {
    const { interval, log } = options;
    this.#options = options;
    this.#looks = atIntervals(
      interval,
      (signal) => this.#look(signal),
      (error) => log.warn(aboutError(error), 'it is not known what units are asked'),
    );
  }

  close(): Promise<void> {
    return this.#looks.close();
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { pool, sessions, publish } = this.#options;
    const serials = new Map([...sessions()].map(({ deviceId, serial }) => [deviceId, serial]));
    const ids = [...serials.keys()];
    for (let start = 0; start < ids.length && !signal.aborted; start += chunk) {
      for (const order of await findOpenOrders(pool, ids.slice(start, start + chunk))) {
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
