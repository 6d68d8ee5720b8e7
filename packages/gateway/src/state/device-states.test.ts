import { connectUnit } from '@visitor-counter/test/unit-client';
import { topic } from '@visitor-counter/wire/topics';
import { expect, test, vi } from 'vitest';
import { startOn, startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

interface State {
  last_activity_at: Date | null;
  heartbeat_at: Date | null;
  heartbeat: unknown;
  online: boolean;
}

async function stateOf({ seed }: Pick<TestGateway, 'seed'>): Promise<Partial<State>> {
  const [row] = await seed.query('select * from device_state');
  return row ?? {};
}

test('keeps the last heartbeat, whatever text is in it, and answers with the time', async () => {
  const gateway = await startTestGateway({ serials: ['CU-1'] });
  const unit = await connectUnit({ port: gateway.mqttPort, serial: 'CU-1' });
  const told = new Promise<string>((resolve) =>
    unit.client.on('message', (_, message) => resolve(String(message))),
  );
  await unit.client.subscribeAsync(topic('CU-1', 'time'));

  await unit.publish(
    'heartbeat',
    '\ufeff{"at":1,"note":"\\u0000 \\ud800 \\" {}","deep":[[[[{}]]]],"big":1e999}',
  );

  expect(Math.abs(Date.now() - JSON.parse(await told).at)).toBeLessThan(5_000);
  await vi.waitFor(async () => expect((await stateOf(gateway)).heartbeat).toMatchObject({ at: 1 }), 3_000);
  const state = await stateOf(gateway);
  expect(state.heartbeat).toEqual({ at: 1, note: '\u0000 \ud800 " {}', deep: [[[[{}]]]], big: null });
  expect(Math.abs(Date.now() - Number(state.heartbeat_at))).toBeLessThan(5_000);
});

test('acknowledges and keeps a heartbeat that cannot be read', async () => {
  const { mqttPort: port, seed } = await startTestGateway({ serials: ['CU-1'] });
  const unit = await connectUnit({ port, serial: 'CU-1' });

  await unit.publish('heartbeat', '{"at":"now"}');
  await unit.publish('heartbeat', `{"at":1,"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`);
  await unit.publish('status', 'on');

  const kept = await seed.query('select topic, reason from rejected_message order by id');
  expect(kept).toMatchObject([
    { topic: topic('CU-1', 'heartbeat') },
    { topic: topic('CU-1', 'heartbeat'), reason: 'malformed: nested deeper than 16 levels' },
    { topic: topic('CU-1', 'status'), reason: 'malformed: expected online or offline' },
  ]);
});

test('counts any message as activity, a rejected one too', async () => {
  const gateway = await startTestGateway({ serials: ['CU-1'] });
  const unit = await connectUnit({ port: gateway.mqttPort, serial: 'CU-1' });
  expect((await stateOf(gateway)).last_activity_at).toBeNull();

  await unit.publish('crossings', 'rejected');

  await vi.waitFor(async () => expect((await stateOf(gateway)).last_activity_at).not.toBeNull(), 3_000);
});

test('does not count a last will as activity', async () => {
  const gateway = await startTestGateway({ serials: ['CU-1'] });
  const will = {
    topic: topic('CU-1', 'status'),
    payload: Buffer.from('offline'),
    qos: 1 as const,
    retain: true,
  };
  const unit = await connectUnit({ port: gateway.mqttPort, serial: 'CU-1', options: { will } });
  unit.client.stream.destroy();
  await unit.closed;
  await gateway.close();

  expect((await stateOf(gateway)).last_activity_at).toBeNull();
});

test('moves the last activity only forward', async () => {
  const gateway = await startTestGateway({ serials: ['CU-1'] });
  await gateway.seed.query("update device_state set last_activity_at = '2100-01-01T00:00:00Z'");
  const unit = await connectUnit({ port: gateway.mqttPort, serial: 'CU-1' });
  await unit.publish('status', 'online');
  await gateway.close();

  expect((await stateOf(gateway)).last_activity_at).toEqual(new Date('2100-01-01T00:00:00Z'));
});

test('shows a device online from its status on, and offline when its connection ends', async () => {
  const gateway = await startTestGateway({ serials: ['CU-1'] });
  const unit = await connectUnit({ port: gateway.mqttPort, serial: 'CU-1' });

  await unit.publish('status', 'online', { retain: true });
  await vi.waitFor(async () => expect((await stateOf(gateway)).online).toBe(true), 3_000);
  unit.client.stream.destroy();

  await vi.waitFor(async () => expect((await stateOf(gateway)).online).toBe(false), 3_000);
});

test('lets a half-open connection to another gateway that dies late change nothing', async () => {
  const gateway = await startTestGateway({ serials: ['CU-1'] });
  const second = await startOn(gateway.url);
  const older = await connectUnit({ port: gateway.mqttPort, serial: 'CU-1' });
  await older.publish('status', 'online');
  const newer = await connectUnit({ port: second.mqttPort, serial: 'CU-1' });
  await newer.publish('status', 'online');
  await vi.waitFor(async () => expect((await stateOf(gateway)).online).toBe(true), 3_000);

  older.client.stream.destroy();
  await gateway.close();

  expect((await stateOf(gateway)).online).toBe(true);
});
