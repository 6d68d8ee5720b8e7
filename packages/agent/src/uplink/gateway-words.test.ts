import type { MqttClient } from 'mqtt';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connect } from './connect.ts';
import { hearGateway } from './gateway-words.ts';
import { startBroker, type TestBroker } from './testing/test-broker.ts';
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

test('what the gateway says on a channel reaches who hears it', async () => {
  const heard: string[] = [];
  await hearGateway(client, 'CU-1', { time: (payload) => heard.push(Buffer.from(payload).toString()) });
  broker.publish('counter/v1/CU-1/commands', 'nobody hears this');
  broker.publish('counter/v1/CU-1/time', '{"at":1}');
  await vi.waitFor(() => expect(heard).toEqual(['{"at":1}']));
});

test('a broker that refuses to tell anything is no failure', async () => {
  broker.grant = false;
  await expect(hearGateway(client, 'CU-1', { time: () => {} })).resolves.toBeUndefined();
});
