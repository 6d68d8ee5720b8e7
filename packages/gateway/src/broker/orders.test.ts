import { connect } from '@visitor-counter/database/connect';
import { addDeviceCommand, setDeviceConfig } from '@visitor-counter/database/operating/unit-orders';
import { connectUnit } from '@visitor-counter/test/unit-client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startOn, startTestGateway } from '../testing/test-gateway.ts';

const soon = { timeout: 5_000 };
const later = () => new Date(Date.now() + 60_000);

/** A unit, what it hears on the channels of orders, and a way to answer. */
async function listen(port: number, serial: string) {
  const unit = await connectUnit({ port, serial });
  const heard: string[] = [];
  unit.client.on('message', (topic, payload) => heard.push(`${topic.split('/').at(-1)} ${payload}`));
  const topics = ['config', 'commands'].map((channel) => `counter/v1/${serial}/${channel}`);
  await unit.client.subscribeAsync(topics);
  const answer = (answers: object) =>
    unit.publish('heartbeat', JSON.stringify({ at: Date.now(), ...answers }));
  return { heard, answer };
}

test('a unit hears settings and commands at whichever gateway it is, until its heartbeat answers', async () => {
  const gateway = await startTestGateway({ sessionInterval: 20 });
  const { url, serial, other, deviceId } = gateway;
  const second = await startOn(url, { sessionInterval: 20 });
  const { kysely, close } = connect(url, { applicationName: 'orders' });
  onTestFinished(close);
  await setDeviceConfig(kysely, deviceId, { detector: { debounce: 9 } });
  const revision = await setDeviceConfig(kysely, deviceId, { detector: { debounce: 10 } });
  const id = await addDeviceCommand(kysely, deviceId, { command: 'identify' }, later());
  await addDeviceCommand(kysely, deviceId, { command: 'restart' }, new Date(Date.now() - 1_000));

  const unit = await listen(second.mqttPort, serial);
  const neighbour = await listen(gateway.mqttPort, other);
  const config = `config {"revision":${revision},"settings":{"detector":{"debounce":10}}}`;
  const command = `commands {"command":"identify","id":${id}}`;
  await vi.waitFor(() => expect(unit.heard).toEqual(expect.arrayContaining([config, command])), soon);

  await unit.answer({ config: { revision }, commands: [{ id, state: 'done' }] });
  await vi.waitFor(async () => {
    const before = unit.heard.length;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(unit.heard.length).toBe(before);
  }, soon);
  const next = await addDeviceCommand(kysely, deviceId, { command: 'restart' }, later());
  await vi.waitFor(() => expect(unit.heard.at(-1)).toBe(`commands {"command":"restart","id":${next}}`), soon);
  expect(unit.heard.join()).not.toContain('"debounce":9');
  expect(neighbour.heard).toEqual([]);
});

test('what a heartbeat answers in words that are no numbers holds up nobody', async () => {
  const gateway = await startTestGateway({ sessionInterval: 20 });
  const { kysely, close } = connect(gateway.url, { applicationName: 'orders' });
  onTestFinished(close);
  const strange = await listen(gateway.mqttPort, gateway.other);
  await strange.answer({ commands: [{ id: 1e300, state: 'done' }] });
  const unit = await listen(gateway.mqttPort, gateway.serial);
  const id = await addDeviceCommand(kysely, gateway.deviceId, { command: 'identify' }, later());
  await vi.waitFor(() => expect(unit.heard).toContain(`commands {"command":"identify","id":${id}}`), soon);
});
