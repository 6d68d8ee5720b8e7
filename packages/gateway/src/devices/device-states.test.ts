import { connectUnit, lastWill } from '@visitor-counter/test/unit-client';
import { topic } from '@visitor-counter/wire/topics';
import { expect, test } from 'vitest';
import { asStored, entries, rejected, stored } from '../../test/crossings.ts';
import { sharedGateway, startOn, startTestGateway, type TestGateway } from '../../test/test-gateway.ts';

const testDevices = sharedGateway({ stateInterval: 50 });

interface State {
  last_activity_at: Date | null;
  heartbeat_at: Date | null;
  heartbeat: unknown;
  online: boolean;
}

async function stateOf({ seed, deviceId }: TestGateway): Promise<Partial<State>> {
  const [row] = await seed.query('select * from device_state where device_id = $1', [deviceId]);
  return row ?? {};
}

/** Expects an instant between `before` (epoch ms) and now. */
function expectSince(before: number, at: Date | number | null | undefined): void {
  expect(Number(at)).toBeGreaterThanOrEqual(before);
  expect(Number(at)).toBeLessThanOrEqual(Date.now());
}

test('stores the last heartbeat, whatever text is in it, and answers with the time', async () => {
  const gateway = await testDevices();
  const { serial } = gateway;
  const unit = await connectUnit({ port: gateway.mqttPort, serial });
  const answer = new Promise<string>((resolve) =>
    unit.client.on('message', (_, message) => resolve(String(message))),
  );
  await unit.client.subscribeAsync(topic(serial, 'time'));
  const before = Date.now();

  await unit.publish(
    'heartbeat',
    '\ufeff{"at":1,"note":"\\u0000 \\ud800 \\" {}","deep":[[[[{}]]]],"big":1e999}',
  );

  expectSince(before, JSON.parse(await answer).at);
  await expect.poll(async () => (await stateOf(gateway)).heartbeat).toMatchObject({ at: 1 });
  const state = await stateOf(gateway);
  expect(state.heartbeat).toEqual({ at: 1, note: '\ufffd \ufffd " {}', deep: [[[[{}]]]], big: null });
  const [{ at } = {}] = await gateway.seed.query(
    `select heartbeat->>'at' as at from device_state where device_id = $1`,
    [gateway.deviceId],
  );
  expect(at).toBe('1');
  expectSince(before, state.heartbeat_at);
});

test('acknowledges and stores a heartbeat that cannot be decoded', async () => {
  const { mqttPort: port, seed, serial, deviceId } = await testDevices();
  const unit = await connectUnit({ port, serial });

  await unit.publish('heartbeat', '{"at":"now"}');
  await unit.publish('heartbeat', `{"at":1,"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`);
  await unit.publish('status', 'on');

  const kept = await seed.query(
    'select topic, reason from rejected_message where device_id = $1 order by id',
    [deviceId],
  );
  expect(kept).toMatchObject([
    { topic: topic(serial, 'heartbeat') },
    { topic: topic(serial, 'heartbeat'), reason: 'malformed: nested deeper than 16 levels' },
    { topic: topic(serial, 'status'), reason: 'malformed: expected online or offline' },
  ]);
});

test('accepts messages of earlier units, without fields that came later and with fields that are gone', async () => {
  const gateway = await testDevices();
  const { mqttPort: port, serial } = gateway;
  const unit = await connectUnit({ port, serial });
  const at = Date.now();
  const heartbeat = {
    ...{ at, uptime: 60, version: '0.0.9', journal: 'j', recorded: 4, acknowledged: 4, clock: 'synced' },
    beams: [{ name: 'outer', state: 'clear', since: at, breaks: 9 }],
    ...{ cpuTemperature: 48.3, diskFree: 1_048_576 },
    commands: [{ id: 7, state: 'done', sent: 90, total: 100, missing: [[1, 4]] }],
  };

  await unit.crossings('j', 1, entries(1, 4));
  await unit.publish('heartbeat', JSON.stringify(heartbeat));

  await expect.poll(async () => (await stateOf(gateway)).heartbeat).toEqual(heartbeat);
  expect(await stored(gateway)).toEqual(asStored(serial, 'j', 1, entries(1, 4)));
  expect(await rejected(gateway)).toEqual([]);
});

test('counts any message as activity, a rejected one too', async () => {
  const gateway = await testDevices();
  const { serial } = gateway;
  const unit = await connectUnit({ port: gateway.mqttPort, serial });
  expect((await stateOf(gateway)).last_activity_at).toBeNull();

  await unit.publish('crossings', 'rejected');

  await expect.poll(async () => (await stateOf(gateway)).last_activity_at).not.toBeNull();
});

test('replaces activity from a clock that was ahead, and counts no gateway of that time as active', async () => {
  const gateway = await testDevices();
  const { serial, seed, deviceId } = gateway;
  await seed.query(
    `insert into gateway (id, seen_at, believed_until)
     values ('00000000-0000-4000-8000-000000000001', now() + interval '1 day', now() + interval '1 day')`,
  );
  await seed.query(
    `update device_state set heartbeat = '{"at":2}', heartbeat_at = now() + interval '1 day',
       last_activity_at = now() + interval '1 day', online = true, gateway_id = '00000000-0000-4000-8000-000000000001'
     where device_id = $1`,
    [deviceId],
  );
  const [held] = await seed.query('select online from device_connection where device_id = $1', [deviceId]);
  expect(held).toEqual({ online: false });
  const before = Date.now();

  const unit = await connectUnit({ port: gateway.mqttPort, serial });
  await unit.publish('heartbeat', '{"at":1}');

  await expect.poll(async () => (await stateOf(gateway)).heartbeat).toEqual({ at: 1 });
  const state = await stateOf(gateway);
  for (const at of [state.heartbeat_at, state.last_activity_at]) expectSince(before, at);
});

test('shows the units of a gateway offline that has stopped', async () => {
  const gateway = await startTestGateway({ stateInterval: 3_600_000 });
  const unit = await connectUnit({ port: gateway.mqttPort, serial: gateway.serial });
  await unit.publish('status', 'online');
  expect((await stateOf(gateway)).online).toBe(true);
  await gateway.close();

  expect((await stateOf(gateway)).online).toBe(false);
});

test('does not count a last will as activity', async () => {
  const gateway = await startTestGateway({ stateInterval: 50 });
  const { serial } = gateway;
  const options = { will: lastWill(serial) };
  const unit = await connectUnit({ port: gateway.mqttPort, serial, options });
  unit.client.stream.destroy();
  await unit.closed;
  await gateway.close();

  expect((await stateOf(gateway)).last_activity_at).toBeNull();
});

test('shows a device online from its status on, and offline when its connection ends', async () => {
  const gateway = await testDevices();
  const { serial } = gateway;
  const unit = await connectUnit({ port: gateway.mqttPort, serial });

  await unit.publish('status', 'online', { retain: true });
  await expect.poll(async () => (await stateOf(gateway)).online).toBe(true);
  unit.client.stream.destroy();

  await expect.poll(async () => (await stateOf(gateway)).online).toBe(false);
});

test('ignores the late end of a half-open connection to another gateway', async () => {
  const gateway = await startTestGateway({ stateInterval: 50 });
  const { serial } = gateway;
  const second = await startOn(gateway.url);
  const older = await connectUnit({ port: gateway.mqttPort, serial });
  await older.publish('status', 'online');
  const newer = await connectUnit({ port: second.mqttPort, serial });
  await newer.publish('status', 'online');
  await expect.poll(async () => (await stateOf(gateway)).online).toBe(true);

  older.client.stream.destroy();
  await gateway.close();

  expect((await stateOf(gateway)).online).toBe(true);
});
