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
  const { kysely: db, close } = connect('postgres://127.0.0.1:1/none', { applicationName: 'test' });
  const states = new DeviceStates({ db, gatewayId: '', interval: hour, onError: () => {} });
  onTestFinished(async () => {
    await states.close();
    await close();
    await new Promise<void>((resolve) => broker.close(resolve));
  });
  const log = new BoundedLog(createLogger('test', { LOG_LEVEL: 'silent' }));
  const { access } = gatewayInstruments(new Metrics());
  const sessions = new Sessions(broker, states, access, log);
  const admitted: string[] = [];
  const enter = (name: string) => {
    const client = broker.handle(
      new Duplex({ read: () => {}, write: (_chunk, _encoding, written) => written() }),
    );
    const login = { deviceId: 1, serial: 'CU-1', secretHash: Buffer.alloc(32) };
    void sessions.enter(login, client, () => admitted.push(name));
    return client;
  };
  return { broker, states, enter, admitted };
}

test('admits only the newest client, after the broker has removed the one before', async () => {
  const { broker, enter, admitted } = await deviceSessions();
  const first = enter('first');
  const second = enter('second');
  enter('third');
  expect(admitted).toEqual(['first']);
  expect([first.closed, second.closed]).toEqual([true, true]);

  broker.emit('clientDisconnect', first);

  await expect.poll(() => admitted).toEqual(['first', 'third']);
});

test('admits the next client if one was closed before the broker has listed it', async () => {
  const { broker, enter, admitted } = await deviceSessions();
  const first = enter('first');
  first.close();
  broker.emit('client', first);

  enter('second');

  expect(admitted).toEqual(['first', 'second']);
});

test('reports a device offline when the broker has removed a client that was admitted, and no other', async () => {
  const { broker, states, enter } = await deviceSessions();
  const first = enter('first');
  const second = enter('second');
  second.close();
  broker.emit('clientDisconnect', second);
  expect(states.size).toBe(0);

  broker.emit('clientDisconnect', first);

  expect(states.size).toBe(1);
});
