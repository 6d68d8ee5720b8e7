import {
  addDeviceCommand,
  readUnitOrders,
  setDeviceConfig,
} from '@visitor-counter/database/devices/unit-commands';
import { withClient } from '@visitor-counter/database/sql/open-client';
import { connected } from '@visitor-counter/test/connected';
import { connectUnit } from '@visitor-counter/test/unit-client';
import type { UnitOrder } from '@visitor-counter/wire/gateway-messages';
import { expect, test } from 'vitest';
import { startOn, startTestGateway } from '../../test/test-gateway.ts';

const later = () => Date.now() + 60_000;

/** A unit, the orders that it receives, and a function to answer them. */
async function listen(port: number, serial: string) {
  const unit = await connectUnit({ port, serial });
  const received: string[] = [];
  unit.client.on('message', (topic, payload) => received.push(`${topic.split('/').at(-1)} ${payload}`));
  const topics = ['config', 'commands'].map((channel) => `counter/v1/${serial}/${channel}`);
  await unit.client.subscribeAsync(topics);
  const answer = (answers: object) =>
    unit.publish('heartbeat', JSON.stringify({ at: Date.now(), ...answers }));
  return { received, answer };
}

test('sends settings and commands to a unit at any gateway until its heartbeat answers', async () => {
  const gateway = await startTestGateway({ sessionInterval: 20 });
  const { url, serial, other, deviceId } = gateway;
  const second = await startOn(url, { sessionInterval: 20 });
  const { kysely } = connected(url);
  await setDeviceConfig(kysely, deviceId, { detector: { debounce: 9 } });
  const revision = await setDeviceConfig(kysely, deviceId, { detector: { debounce: 10 } });
  const id = await addDeviceCommand(kysely, deviceId, { command: 'identify' }, later());
  await addDeviceCommand(kysely, deviceId, { command: 'restart' }, Date.now() - 1_000);

  const unit = await listen(second.mqttPort, serial);
  const neighbour = await listen(gateway.mqttPort, other);
  const config = `config {"revision":${revision},"settings":{"detector":{"debounce":10}}}`;
  const command = `commands {"command":"identify","id":${id}}`;
  await expect.poll(() => unit.received).toEqual(expect.arrayContaining([config, command]));

  await unit.answer({ config: { revision }, commands: [{ id, state: 'done' }] });
  const next = await addDeviceCommand(kysely, deviceId, { command: 'restart' }, later());
  const last = `commands {"command":"restart","id":${next}}`;
  /* It is repeated, and what has been answered is not. */
  await expect.poll(() => unit.received.slice(-5)).toEqual(Array(5).fill(last));
  expect(unit.received.join()).not.toContain('"debounce":9');
  expect(neighbour.received).toEqual([]);
});

/** A unit that receives its orders, and the state of a command in the database. */
async function unitWithOrders() {
  const gateway = await startTestGateway({ sessionInterval: 20, stateInterval: 20 });
  const { kysely } = connected(gateway.url);
  const unit = await listen(gateway.mqttPort, gateway.serial);
  const order = (command: UnitOrder) => addDeviceCommand(kysely, gateway.deviceId, command, later());
  const known = async (id: number) => {
    const { commands } = await readUnitOrders(kysely, gateway.deviceId);
    return commands.find((command) => command.id === id);
  };
  const times = (id: number) => unit.received.filter((message) => message.includes(`"id":${id}}`)).length;
  return { ...gateway, unit, order, known, times };
}

test('stores the reports of a unit about a command until it is finished', async () => {
  const { unit, order, known, times } = await unitWithOrders();
  const id = await order({ command: 'diagnose' });
  await expect.poll(() => times(id)).toBeGreaterThan(0);
  expect(await known(id)).toMatchObject({ state: 'pending', finishedAt: null });

  await unit.answer({ commands: [{ id, state: 'running' }] });
  expect(await known(id)).toMatchObject({ state: 'running', finishedAt: null });
  await unit.answer({ commands: [{ id, state: 'done' }] });
  const finished = await known(id);
  expect(finished).toMatchObject({ state: 'done', finishedAt: expect.any(Number) });
  await unit.answer({ commands: [{ id, state: 'failed', problem: 'too late' }] });
  expect(await known(id)).toEqual(finished);
});

test('stores nothing that a unit reports about a command of another unit', async () => {
  const { unit, order, known, mqttPort, other } = await unitWithOrders();
  const id = await order({ command: 'identify' });
  const otherUnit = await listen(mqttPort, other);
  await otherUnit.answer({ commands: [{ id, state: 'done' }] });
  expect(await known(id)).toMatchObject({ state: 'pending' });
  await unit.answer({ commands: [{ id, state: 'failed', problem: 'no light' }] });
  expect(await known(id)).toMatchObject({ state: 'failed', problem: 'no light' });
});

test('sends a command that is committed after a later one has been answered', async () => {
  const { url, deviceId, unit, order, times } = await unitWithOrders();
  const slow = await withClient(url, async (client) => {
    await client.query('begin');
    const insert = `insert into device_command (id, device_id, command, expires_at)
      values (5, $1, '{"command":"identify"}', now() + interval '1 hour')`;
    await client.query(insert, [deviceId]);
    const fast = await order({ command: 'identify' });
    await expect.poll(() => times(fast)).toBeGreaterThan(0);
    await unit.answer({ commands: [{ id: fast, state: 'done' }] });
    await client.query('commit');
    return 5;
  });
  await expect.poll(() => times(slow)).toBeGreaterThan(0);
});

test('sends a command again to a unit that has begun it and no longer reports it', async () => {
  const { unit, order, times } = await unitWithOrders();
  const id = await order({ command: 'diagnose' });
  await expect.poll(() => times(id)).toBeGreaterThan(0);
  await unit.answer({ commands: [{ id, state: 'running' }] });
  await unit.answer({});
  const before = times(id);
  await expect.poll(() => times(id)).toBeGreaterThan(before);
});

test('sends no more commands at a time than a heartbeat reports, and the others after these', async () => {
  const { unit, order, times } = await unitWithOrders();
  const ids: number[] = [];
  while (ids.length < 20) ids.push(await order({ command: 'identify' }));
  const sent = () => ids.filter((id) => times(id) > 0);
  await expect.poll(() => times(ids[15] ?? 0)).toBeGreaterThan(1);
  expect(sent()).toEqual(ids.slice(0, 16));
  await unit.answer({ commands: sent().map((id) => ({ id, state: 'done' })) });
  await expect.poll(sent).toEqual(ids);
});

test('an answer with an invalid command id does not delay other units', async () => {
  const gateway = await startTestGateway({ sessionInterval: 20 });
  const { kysely } = connected(gateway.url);
  const strange = await listen(gateway.mqttPort, gateway.other);
  await strange.answer({ commands: [{ id: 1e300, state: 'done' }] });
  const unit = await listen(gateway.mqttPort, gateway.serial);
  const id = await addDeviceCommand(kysely, gateway.deviceId, { command: 'identify' }, later());
  await expect.poll(() => unit.received).toContain(`commands {"command":"identify","id":${id}}`);
});

test('removes the commands of a device that ended long ago when it gets another one', async () => {
  const { seed, deviceId, otherId, order } = await unitWithOrders();
  const add = (id: number, device: number, state: string, endedDaysAgo: number) =>
    seed.query(
      `insert into device_command (id, device_id, command, expires_at, state, finished_at)
       select $1, $2, '{"command":"restart"}', ended, $3, case when $3 = 'done' then ended end
       from (select now() - $4::integer * interval '1 day' as ended) as times`,
      [id, device, state, endedDaysAgo],
    );
  await add(1, deviceId, 'done', 91);
  await add(2, deviceId, 'pending', 91);
  await add(3, deviceId, 'done', 89);
  await add(4, otherId, 'done', 91);

  const added = await order({ command: 'identify' });

  const rows = await seed.query('select id::float8 from device_command order by id');
  expect(rows.map(({ id }) => id)).toEqual([3, 4, added]);
});
