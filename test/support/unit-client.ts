import { type Channel, topic } from '@visitor-counter/wire/topics';
import mqtt, { type IClientOptions } from 'mqtt';
import { onTestFinished } from 'vitest';

export type UnitClient = Awaited<ReturnType<typeof connectUnit>>;

interface PublishOptions {
  readonly qos?: 0 | 1 | 2;
  readonly retain?: boolean;
}

export interface UnitLogin {
  readonly port: number;
  readonly serial: string;
  readonly secret?: string;
  readonly options?: IClientOptions;
}

/** The last will of a unit. */
export function lastWill(serial: string) {
  return { topic: topic(serial, 'status'), payload: Buffer.from('offline'), qos: 1, retain: true } as const;
}

/**
 * Logs in a unit as the gateway sees it, a real MQTT client without journal or beams; rejects with the broker's refusal, whose
 * `code` is that of CONNACK.
 */
export async function connectUnit({ port, serial, secret, options = {} }: UnitLogin) {
  const client = await mqtt.connectAsync(
    `mqtt://127.0.0.1:${port}`,
    {
      clientId: serial,
      username: serial,
      password: secret ?? `secret of ${serial}`,
      reconnectPeriod: 0,
      connectTimeout: 100_000,
      ...options,
    },
    false,
  );
  client.on('error', () => {});
  onTestFinished(async () => void client.end(true));
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  const connectionEnded = closed.then(() => Promise.reject(new Error('the connection ended')));
  connectionEnded.catch(() => {});
  const publish = async (channel: Channel, payload: string | Buffer, publishOptions: PublishOptions = {}) => {
    const sent = client.publishAsync(topic(serial, channel), payload, {
      qos: 1,
      retain: false,
      ...publishOptions,
    });
    sent.catch(() => {});
    await Promise.race([sent, connectionEnded]);
  };
  return {
    client,
    /** Publishes on one of its own channels; resolves at PUBACK, rejects when the connection ends before that. */
    publish,
    crossings: (journal: string, first: number, crossings: readonly unknown[]) =>
      publish('crossings', JSON.stringify({ journal, first, crossings })),
    /** Resolves when the connection has ended. */
    closed,
  };
}
