import { findOpenOrders, type OpenOrder } from '@visitor-counter/database/devices/unit-commands';
import { errorFields } from '@visitor-counter/database/sql/unavailable';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';
import { encodeCommand, encodeConfig } from '@visitor-counter/wire/gateway-messages';
import { maxReportedCommands } from '@visitor-counter/wire/limits';
import { type GatewayChannel, topic } from '@visitor-counter/wire/topics';
import type { GatewayParts } from '../gateway-parts.ts';

/** Units in one statement: few enough that publishing their orders does not delay other work. */
const chunk = 1_000;

/**
 * Publishes settings and commands to the units that are connected. They are in the database, whichever gateway
 * a unit is connected to; each is published repeatedly until a heartbeat reports it. Several gateways may publish
 * the same order: a unit executes a command once, by its id. `serials` are those of the units that can be reached from here.
 */
export function watchOrders(
  { db, limits, log }: GatewayParts,
  serials: () => Iterable<string>,
  publish: (topic: string, payload: string) => void,
): Repetition {
  const onError = (error: unknown) =>
    log.write('warn', errorFields(error), 'commands and settings not published');
  const publishOpen = async (signal: AbortSignal) => {
    const all = [...serials()];
    for (let start = 0; start < all.length && !signal.aborted; start += chunk) {
      const orders = await findOpenOrders(db, all.slice(start, start + chunk), maxReportedCommands);
      for (const order of orders) publish(topic(order.serial, channels[order.kind]), payloadOf(order));
    }
  };
  return repeat(limits.sessionInterval, publishOpen, onError);
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
