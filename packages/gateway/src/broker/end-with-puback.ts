import type { Aedes, Client } from 'aedes';

/**
 * A client's message is at its end with its PUBACK: nobody subscribes to what units say. Looking for subscribers,
 * in the sessions that are away and among those that are there, would cost as much as all else that the broker does.
 */
export function endWithPuback(broker: Aedes): void {
  const publish = broker.publish.bind(broker);
  broker.publish = (packet: Parameters<Aedes['publish']>[0], ...rest: FromClient | FromHere) => {
    if (rest.length === 1) publish(packet, rest[0]);
    else if (rest[0] === null) publish(packet, rest[1]);
    else rest[1]();
  };
}

type FromHere = [done: (error?: Error) => void];
type FromClient = [client: Client | null, done: (error?: Error) => void];
