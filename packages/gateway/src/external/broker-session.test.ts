import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { createLogger } from '@visitor-counter/service/logger';
import { Aedes } from 'aedes';
import { expect, onTestFinished, test } from 'vitest';
import { runSession } from './broker-session.ts';
import { readExternalConfig } from './external-config.ts';

test('does not report an optional subscription as refused if the connection ends before the answer', async () => {
  const broker = await Aedes.createBroker();
  broker.authorizeSubscribe = (client, subscription, done) => {
    if (subscription.topic === 'optional') client?.close();
    else done(null, subscription);
  };
  const server = createServer(broker.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    await new Promise<void>((resolve) => broker.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const config = readExternalConfig({
    MQTT_URL: `mqtt://127.0.0.1:${port}`,
    MQTT_SUBSCRIPTIONS: 'plain',
  });
  if (config === undefined) throw new Error('MQTT_URL is not read');
  const written: string[] = [];
  const log = new BoundedLog(createLogger('test', {}, { write: (line) => void written.push(line) }));
  const events: string[] = [];

  await runSession(
    {
      config,
      clientId: 'test',
      sessionExpiry: 0,
      filters: ['required'],
      optional: ['optional'],
      onMessage: async () => {},
      log,
    },
    {},
    { onAccepted: () => events.push('accepted'), onSubscribed: () => events.push('subscribed') },
    new AbortController().signal,
  );
  await new Promise((resolve) => setImmediate(resolve));

  expect({ events, written }).toEqual({ events: ['accepted'], written: [] });
});
