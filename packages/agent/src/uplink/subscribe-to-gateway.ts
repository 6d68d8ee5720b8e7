import { type GatewayChannel, topic } from '@visitor-counter/wire/topics';
import type { MqttClient } from 'mqtt';

/** The handlers of messages from the gateway, by channel. */
export type GatewayHandlers = Partial<Record<GatewayChannel, (payload: Uint8Array) => void>>;

/**
 * Subscribes to the channels with handlers; resolves when the broker has answered. Crossings are delivered even if it
 * refuses.
 */
export async function subscribeToGateway(
  client: MqttClient,
  serial: string,
  handlers: GatewayHandlers,
): Promise<void> {
  const byTopic = new Map<string, (payload: Uint8Array) => void>();
  for (const channel of ['config', 'commands', 'time'] as const) {
    const handle = handlers[channel];
    if (handle) byTopic.set(topic(serial, channel), handle);
  }
  client.on('message', (from, payload) => byTopic.get(from)?.(payload));
  if (byTopic.size > 0) await client.subscribeAsync([...byTopic.keys()], { qos: 1 }).catch(() => {});
}
