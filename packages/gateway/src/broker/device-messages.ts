import { shortened } from '@visitor-counter/service/bounded-log';
import { encodeTime } from '@visitor-counter/wire/gateway-messages';
import {
  decodeStatus,
  isUnitChannel,
  parseTopic,
  topic as topicOf,
  unitChannels,
} from '@visitor-counter/wire/topics';
import type { GatewayParts } from '../gateway-parts.ts';
import type { Receive } from '../ingest/receive.ts';
import type { HandlePublish } from '../listener/client-connection.ts';
import { ClientError } from '../listener/client-error.ts';
import type { Session } from './login.ts';

/** Publishes a message to a unit. */
export type Publish = (topic: string, payload: string) => void;

/**
 * Stores the messages that a device may publish, and answers heartbeats with the time. A message that it may not publish ends
 * its connection.
 */
export function publishHandler(
  session: Session,
  { instruments, log }: GatewayParts,
  receive: Receive,
  publish: Publish,
): HandlePublish {
  const { serial } = session;
  const authorize = publishAuthorizer(serial);
  return (packet) => {
    const decision = authorize(packet);
    if ('refused' in decision) {
      const { refused } = decision;
      instruments.access.packetRefused(refused);
      log.write('warn', { serial, topic: shortened(packet.topic), refused }, 'publish refused');
      return Promise.reject(new ClientError('rights-violation', refused));
    }
    try {
      /* The topic of the decision is one string for all pending messages; each packet has a copy of its own. */
      const { channel, topic } = decision;
      if (channel === 'heartbeat') publish(topicOf(serial, 'time'), encodeTime({ at: Date.now() }));
      return receive({ sender: session, channel, topic, payload: packet.payload });
    } catch (error) {
      log.write('error', { err: error, serial }, 'message not handled');
      return Promise.reject(error);
    }
  };
}

/** A message that a device wants to publish, or its last will. */
interface Publication {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: number;
  readonly retain: boolean;
}

/**
 * Returns the function that decides whether the device `serial` may publish a message; created once per connection. The device
 * may publish on its own channels to the gateway, with QoS 0 or 1, and only its status may be retained.
 */
function publishAuthorizer(serial: string) {
  const channels = unitChannels.map((channel) => ({ channel, topic: topicOf(serial, channel) }));
  const own = new Map(channels.map((channel) => [channel.topic, channel]));
  return ({ topic, payload, qos, retain }: Publication) => {
    const decision = own.get(topic);
    if (decision === undefined) return { refused: 'topic' } as const;
    if (qos > 1) return { refused: 'QoS 2' } as const;
    const mayBeRetained = () => decision.channel === 'status' && decodeStatus(payload) !== undefined;
    if (retain && !mayBeRetained()) return { refused: 'retained' } as const;
    return decision;
  };
}

/** Whether a device may have this last will: its own status, `offline`. */
export function mayLeaveWill(serial: string, will: Publication): boolean {
  const decision = publishAuthorizer(serial)(will);
  return 'channel' in decision && decision.channel === 'status' && decodeStatus(will.payload) === 'offline';
}

/** Whether the device `serial` may subscribe: to its own channels from the gateway, without wildcards. */
export function maySubscribe(
  serial: string,
  { topic, qos }: { readonly topic: string; readonly qos: number },
): boolean {
  const parts = parseTopic(topic);
  return parts?.serial === serial && !isUnitChannel(parts.channel) && qos < 2;
}
