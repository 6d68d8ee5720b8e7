import { once } from 'node:events';
import { Socket } from 'node:net';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { createLogger } from '@visitor-counter/service/logger';
import { expect, test } from 'vitest';
import { ConnectionLimits } from './connection-limits.ts';

let lastPort = 0;

function socketFrom(remoteAddress: string, port = ++lastPort): Socket {
  const properties = { remoteAddress: { value: remoteAddress }, remotePort: { value: port } };
  return Object.defineProperties(new Socket(), properties);
}

test('limits connections in total, per address, and those that are not logged in', async () => {
  const refused: string[] = [];
  const limits = new ConnectionLimits(
    { connections: 5, connectionsPerAddress: 3, pendingPerAddress: 2 },
    (limit) => refused.push(limit),
    new BoundedLog(createLogger('test', { LOG_LEVEL: 'silent' })),
  );
  const connect = (address: string) => {
    const socket = socketFrom(address);
    limits.admit(socket);
    return socket;
  };
  const first = connect('10.0.0.1');
  connect('10.0.0.1');
  expect(connect('10.0.0.1').destroyed).toBe(true);
  expect(refused).toEqual(['pendingPerAddress']);

  limits.find(first)?.loggedIn();
  limits.find(first)?.loggedIn();
  connect('10.0.0.1');
  connect('10.0.0.1');
  expect(refused.at(-1)).toBe('connectionsPerAddress');

  connect('10.0.0.2');
  connect('10.0.0.2');
  connect('10.0.0.3');
  expect(refused).toEqual(['pendingPerAddress', 'connectionsPerAddress', 'connections']);
  expect(limits.open).toBe(5);

  first.destroy();
  await once(first, 'close');
  expect(limits.find(first)).toBeUndefined();
  expect(limits.open).toBe(4);
  connect('10.0.0.3');
  connect('10.0.0.1');
  expect(refused.at(-1)).toBe('connections');
});

test('finds a connection whose client has used the port before, although that connection closes later', async () => {
  const limits = new ConnectionLimits(
    { connections: 5, connectionsPerAddress: 5, pendingPerAddress: 5 },
    () => {},
    new BoundedLog(createLogger('test', { LOG_LEVEL: 'silent' })),
  );
  const [before, after] = [socketFrom('10.0.0.1', 99), socketFrom('10.0.0.1', 99)];
  limits.admit(before);
  limits.admit(after);

  before.destroy();
  await once(before, 'close');

  expect(limits.find(after)).toBeDefined();
});
