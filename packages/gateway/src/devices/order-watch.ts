import { findOpenOrders, type OpenOrder } from '@visitor-counter/database/devices/unit-commands';
import type { Database } from '@visitor-counter/database/sql/connect';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';
import { encodeCommand, encodeConfig } from '@visitor-counter/wire/gateway-messages';
import { maxReportedCommands } from '@visitor-counter/wire/limits';
import { type GatewayChannel, topic } from '@visitor-counter/wire/topics';

interface OrderWatchOptions {
  readonly db: Database['kysely'];
  /** The serial numbers of the units that can be reached from here. */
  readonly serials: () => Iterable<string>;
  readonly publish: (topic: string, payload: string) => void;
  /** From the end of one round to the next (ms). */
  readonly interval: number;
  readonly log: BoundedLog;
}

/** Units in one statement: few enough that publishing their orders does not delay other work. */
const chunk = 1_000;

/**
 * Publishes settings and commands to the units that are connected. They are in the database, whichever gateway
 * a unit is connected to; each is published repeatedly until a heartbeat reports it. Several gateways may publish
 * the same order: a unit executes a command once, by its id.
 */
export function watchOrders(options: OrderWatchOptions): Repetition {
  const { db, serials, publish, interval, log } = options;
  const onError = (error: unknown) =>
    log.write('warn', errorFields(error), 'commands and settings not published');
  const publishOpen = async (signal: AbortSignal) => {
    const all = [...serials()];
    for (let start = 0; start < all.length && !signal.aborted; start += chunk) {
      const orders = await findOpenOrders(db, all.slice(start, start + chunk), maxReportedCommands);
      for (const order of orders) publish(topic(order.serial, channels[order.kind]), payloadOf(order));
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
