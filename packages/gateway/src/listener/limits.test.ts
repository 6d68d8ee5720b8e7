import { connect, type Socket } from 'node:net';
import { eventually } from '@visitor-counter/test/eventually';
import { holdLock } from '@visitor-counter/test/held-lock';
import { scrape } from '@visitor-counter/test/scrape';
import { connectUnit } from '@visitor-counter/test/unit-client';
import mqtt from 'mqtt-packet';
import { expect, onTestFinished, test, vi } from 'vitest';
import { entries, stored } from '../../test/crossings.ts';
import { startOn, startTestGateway } from '../../test/test-gateway.ts';

/** Stops the clock of all limits, so that no budget is refilled however long a test takes. Returns how to start it again. */
function stopClock(): () => void {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  const start = () => void clock.mockRestore();
  onTestFinished(start);
  return start;
}

function open(port: number, localAddress = '127.0.0.1'): { socket: Socket; closed: Promise<void> } {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return { socket, closed: new Promise((resolve) => socket.once('close', () => resolve())) };
}

function connectPacket(serial: string): Buffer {
  return mqtt.generate({
    cmd: 'connect',
    clientId: serial,
    username: serial,
    password: Buffer.from('wrong'),
  });
}

test('ends connections that send nothing, or send their CONNECT too slowly', async () => {
  const { mqttPort, serial, url } = await startTestGateway({}, { MQTT_LOGIN_SECONDS: '1' });
  const patient = await startOn(url, {}, { MQTT_LOGIN_SECONDS: '3600' });
  const { socket: earlier } = open(patient.mqttPort);
  const silent = open(mqttPort);
  const slow = open(mqttPort);
  const dripping = setInterval(() => slow.socket.write(Buffer.from([0x10])), 100);
  onTestFinished(() => clearInterval(dripping));

  await Promise.all([silent.closed, slow.closed]);

  expect(earlier.closed).toBe(false);
  await eventually(() => connectUnit({ port: mqttPort, serial }));
});

test('ends connections whose login hangs because the database does', async () => {
  const { mqttPort, url, serial } = await startTestGateway({}, { MQTT_LOGIN_SECONDS: '1' });
  const lock = await holdLock(url, 'lock table device in access exclusive mode');

  const logins = Array.from({ length: 20 }, () => connectUnit({ port: mqttPort, serial }));

  const results = await Promise.allSettled(logins);
  expect(results.map(({ status }) => status)).toEqual(logins.map(() => 'rejected'));
  await lock.release();
  await eventually(() => connectUnit({ port: mqttPort, serial }));
});

test('refuses connections beyond the limits, of an address and in total, and accepts new ones when others have ended', async () => {
  const max = { MQTT_MAX_CONNECTIONS: '3', MQTT_MAX_CONNECTIONS_PER_ADDRESS: '2' };
  const { mqttPort: port, metricsPort, serial, other } = await startTestGateway({}, max);
  const unit = await connectUnit({ port, serial });
  const another = open(port);
  await open(port).closed;
  const last = open(port, '127.0.0.2');
  await open(port, '127.0.0.3').closed;
  const metrics = await scrape(metricsPort);
  for (const reason of ['connectionsPerAddress', 'connections'])
    expect(metrics.get(`visitor_counter_connections_refused_total{reason="${reason}"}`)).toBe(1);

  another.socket.destroy();
  await another.closed;
  await eventually(() => connectUnit({ port, serial: other }));
  await open(port).closed;
  await open(port, '127.0.0.3').closed;
  expect(unit.client.connected).toBe(true);
  expect(last.socket.closed).toBe(false);
});

test('accepts valid logins from an address with too many failures, of known and unknown devices', async () => {
  const {
    mqttPort: port,
    serial,
    other,
  } = await startTestGateway({}, { MQTT_LOGIN_FAILURES_PER_MINUTE: '5' });
  stopClock();
  await connectUnit({ port, serial });
  for (let count = 0; count < 5; count += 1) {
    await expect(connectUnit({ port, serial: `CU-x${count}` })).rejects.toMatchObject({ code: 5 });
  }

  await expect(connectUnit({ port, serial: 'CU-x9' })).rejects.toMatchObject({ code: 3 });
  for (let count = 0; count < 9; count += 1) {
    await expect(connectUnit({ port, serial: other, secret: 'wrong' })).rejects.toMatchObject({ code: 3 });
  }
  await connectUnit({ port, serial: other });
  await connectUnit({ port, serial });
});

test('admits all units of an address that connect at the same moment, however few of them may fail', async () => {
  const { mqttPort: port, ...rest } = await startTestGateway({}, { MQTT_LOGIN_FAILURES_PER_MINUTE: '5' });
  const serials = Array.from({ length: 50 }, (_, index) => `CU-n${index}`);
  const { companyId, storeId } = rest;
  for (const serial of serials) await rest.seed.device({ companyId, storeId, serial });

  await Promise.all(serials.map((serial) => connectUnit({ port, serial })));
});

test('does not count logins of clients that have disconnected or that the database has not answered', async () => {
  const failures = { MQTT_LOGIN_FAILURES_PER_MINUTE: '2' };
  const { mqttPort, url, serial } = await startTestGateway({ loginDeadline: 3_000 }, failures);
  const lock = await holdLock(url, 'lock table device in access exclusive mode');
  const login = { port: mqttPort, serial: 'CU-x' };
  const left = [open(mqttPort), open(mqttPort), open(mqttPort)];
  for (const { socket } of left) socket.resume().end(connectPacket('CU-x'));
  await Promise.all(left.map(({ closed }) => closed));
  /* Those that have left were given up before these, which came later. */
  for (let count = 0; count < 10; count += 1)
    await expect(connectUnit(login)).rejects.toMatchObject({ code: 3 });
  await lock.release();

  /* For a moment after an outage the gateway refuses logins without a lookup. */
  await eventually(() => connectUnit({ port: mqttPort, serial }));
  stopClock();
  for (const code of [5, 5, 3]) await expect(connectUnit(login)).rejects.toMatchObject({ code });
  await connectUnit({ port: mqttPort, serial });
});

test('throttles a device that sends too fast, without disconnecting it, and no other device', async () => {
  const gateway = await startTestGateway({}, { MQTT_BYTES_PER_SECOND: '35000', MQTT_BURST_BYTES: '70000' });
  const { mqttPort: port, serial, other } = gateway;
  const fast = await connectUnit({ port, serial });
  const neighbour = await connectUnit({ port, serial: other });
  const startClock = stopClock();
  let sent = 0;
  const lane = async (start: number) => {
    for (let sequence = start; sequence <= 400; sequence += 10) {
      await fast.crossings('j1', sequence, entries(sequence, 1));
      sent += 1;
    }
  };
  const lanes = Array.from({ length: 10 }, (_, index) => lane(1 + index));
  /* The burst of two seconds: a message counts as about 350 bytes. */
  await expect.poll(() => sent).toBeGreaterThan(190);
  for (let sequence = 1; sequence <= 100; sequence += 1)
    await neighbour.crossings('j1', sequence, entries(sequence, 1));
  expect(sent).toBeLessThan(250);
  startClock();
  await Promise.all(lanes);

  expect(await stored(gateway)).toHaveLength(500);
});
