import { findOpenOrders, type OpenOrder } from '@visitor-counter/database/devices/unit-commands';
import type { Database } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';
import { encodeCommand, encodeConfig } from '@visitor-counter/wire/gateway-messages';
import { maxReportedCommands } from '@visitor-counter/wire/limits';
import { type GatewayChannel, topic } from '@visitor-counter/wire/topics';
import { LRUCache } from 'lru-cache';

interface OrderWatchOptions {
  readonly pool: Database['pool'];
  /** The serial numbers of the units that can be reached from here. */
  readonly serials: () => Iterable<string>;
  /** Publishes a message; rejects if it may not have been sent. */
  readonly publish: (topic: string, payload: string) => Promise<void>;
  /** From the end of one round to the next (ms). */
  readonly interval: number;
  /** The shortest time before an order that no heartbeat has reported is published again (ms); 0 for every round. */
  readonly repeatEvery: number;
  readonly log: BoundedLog;
}

/** Units in one statement: few enough that publishing their orders does not delay other work. */
const chunk = 1_000;

/** The most orders whose publication is remembered; others are published in every round. */
const remembered = 50_000;

/**
 * Publishes settings and commands to the units that are connected. They are in the database, whichever gateway or broker
 * a unit is connected to; each is published repeatedly until a heartbeat reports it. Several gateways may publish
 * the same order: a unit executes a command once, by its id.
 */
export function watchOrders(options: OrderWatchOptions): Repetition {
  const { pool, serials, interval, repeatEvery, log } = options;
  const published = new LRUCache<string, true>({ max: remembered, ttl: repeatEvery });
  const onError = (error: unknown) =>
    log.write('warn', errorFields(error), 'commands and settings not published');
  const publish = async (order: OpenOrder) => {
    const key = `${order.kind} ${order.serial} ${order.id}`;
    if (published.has(key)) return;
    await options.publish(topic(order.serial, channels[order.kind]), payloadOf(order));
    if (repeatEvery > 0) published.set(key, true);
  };
  const publishOpen = async (signal: AbortSignal) => {
    const all = [...serials()];
    for (let start = 0; start < all.length && !signal.aborted; start += chunk) {
      const orders = await findOpenOrders(pool, all.slice(start, start + chunk), maxReportedCommands);
      for (const order of orders) {
        if (!signal.aborted) await publish(order).catch(onError);
      }
    }
  };
  return repeat(interval, publishOpen, onError);
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
