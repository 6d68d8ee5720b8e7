import type { MqttClient } from 'mqtt';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startBroker, type TestBroker } from '../../test/test-broker.ts';
import { connect } from './connect.ts';
import { subscribeToGateway } from './subscribe-to-gateway.ts';
import { defaultUplinkSettings } from './uplink-settings.ts';

let broker: TestBroker;
let client: MqttClient;

beforeEach(async () => {
  broker = await startBroker();
  const account = { server: broker.server, serial: 'CU-1', secret: 'secret' };
  client = await connect(account, defaultUplinkSettings, new AbortController().signal);
});
afterEach(async () => {
  client.end(true);
  await broker.close();
});

test('passes messages of the gateway to the handler of their channel', async () => {
  const received: string[] = [];
  await subscribeToGateway(client, 'CU-1', {
    time: (payload) => received.push(Buffer.from(payload).toString()),
  });
  broker.publish('counter/v1/CU-1/commands', 'without a handler');
  broker.publish('counter/v1/CU-1/time', '{"at":1}');
  await vi.waitFor(() => expect(received).toEqual(['{"at":1}']));
});

test('ignores that a broker refuses the subscription', async () => {
  broker.grant = false;
  await expect(subscribeToGateway(client, 'CU-1', { time: () => {} })).resolves.toBeUndefined();
});
