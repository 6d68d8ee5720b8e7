import { type GatewayChannel, topic } from '@visitor-counter/wire/topics';
import type { MqttClient } from 'mqtt';

/** What is done with what the gateway says on a channel. */
export type Hearers = Partial<Record<GatewayChannel, (payload: Uint8Array) => void>>;

/**
 * Hears what the gateway says to a unit on these channels; resolves when they are subscribed. A broker that
 * refuses them is no reason not to deliver.
 */
export async function hearGateway(client: MqttClient, serial: string, hearers: Hearers): Promise<void> {
  const byTopic = new Map<string, (payload: Uint8Array) => void>();
  for (const channel of ['config', 'commands', 'time'] as const) {
    const hear = hearers[channel];
    if (hear) byTopic.set(topic(serial, channel), hear);
  }
  client.on('message', (from, payload) => byTopic.get(from)?.(payload));
  if (byTopic.size > 0) await client.subscribeAsync([...byTopic.keys()], { qos: 1 }).catch(() => {});
}
