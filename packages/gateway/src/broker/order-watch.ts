import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@visitor-counter/database/connect';
import { findOpenOrders, type OpenOrder } from '@visitor-counter/database/ingest/open-orders';
import type { Logger } from '@visitor-counter/service/logger';
import { type GatewayChannel, topic } from '@visitor-counter/wire/topics';
import { aboutError } from '../start/about-error.ts';
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
  readonly #closing = new AbortController();
  readonly #ended: Promise<void>;

  constructor(options: OrderWatchOptions) {
    this.#options = options;
    this.#ended = this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { interval, log } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await delay(interval, undefined, { signal }).catch(() => {});
      await this.#look().catch((error: unknown) =>
        log.warn(aboutError(error), 'it is not known what units are asked'),
      );
    }
  }

  async #look(): Promise<void> {
    const { pool, sessions, publish } = this.#options;
    const serials = new Map([...sessions()].map(({ deviceId, serial }) => [deviceId, serial]));
    const ids = [...serials.keys()];
    for (let start = 0; start < ids.length && !this.#closing.signal.aborted; start += chunk) {
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
  return JSON.stringify(kind === 'config' ? { revision: id, settings: content } : { ...content, id });
}
