import { Duplex } from 'node:stream';
import { connect } from '@visitor-counter/database/sql/connect';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { createLogger } from '@visitor-counter/service/logger';
import { Metrics } from '@visitor-counter/service/metrics';
import { Aedes } from 'aedes';
import { expect, onTestFinished, test } from 'vitest';
import { DeviceStates } from '../devices/device-states.ts';
import { gatewayInstruments } from '../metrics/gateway-instruments.ts';
import { Sessions } from './sessions.ts';

const hour = 3_600_000;

/** Sessions of one device. `enter` returns its client, whose name is in `admitted` once it is admitted. */
async function deviceSessions() {
  const broker = await Aedes.createBroker();
  const { pool, close } = connect('postgres://127.0.0.1:1/none', { applicationName: 'test' });
  const states = new DeviceStates({ pool, interval: hour, wait: hour, onError: () => {} });
  onTestFinished(async () => {
    await states.close();
    await close();
    await new Promise<void>((resolve) => broker.close(resolve));
  });
  const log = new BoundedLog(createLogger('test', { LOG_LEVEL: 'silent' }));
  const { access } = gatewayInstruments(new Metrics());
  const sessions = new Sessions(broker, { states, access, log });
  const admitted: bigint[] = [];
  const enter = (generation: bigint) => {
    const client = broker.handle(
      new Duplex({ read: () => {}, write: (_chunk, _encoding, written) => written() }),
    );
    const login = { deviceId: 1, serial: 'CU-1', generation, secretHash: Buffer.alloc(32) };
    void sessions.enter(login, client, () => admitted.push(generation));
    return client;
  };
  return { broker, states, enter, admitted };
}

test('admits only the newest client, after the broker has removed the one before', async () => {
  const { broker, enter, admitted } = await deviceSessions();
  const first = enter(1n);
  const second = enter(2n);
  enter(3n);
  expect(admitted).toEqual([1n]);
  expect([first.closed, second.closed]).toEqual([true, true]);

  broker.emit('clientDisconnect', first);

  await expect.poll(() => admitted).toEqual([1n, 3n]);
});

test('closes a client whose login was numbered before that of the present one', async () => {
  const { enter, admitted } = await deviceSessions();
  const newer = enter(2n);
  const older = enter(1n);

  expect(admitted).toEqual([2n]);
  expect([newer.closed, older.closed]).toEqual([false, true]);
});

test('admits the next client if one was closed before the broker has listed it', async () => {
  const { broker, enter, admitted } = await deviceSessions();
  const first = enter(1n);
  first.close();
  broker.emit('client', first);

  enter(2n);

  expect(admitted).toEqual([1n, 2n]);
});

test('reports a device offline when the broker has removed a client that was admitted, and no other', async () => {
  const { broker, states, enter } = await deviceSessions();
  const newer = enter(2n);
  enter(1n);
  expect(states.size).toBe(0);

  broker.emit('clientDisconnect', newer);

  expect(states.size).toBe(1);
});
