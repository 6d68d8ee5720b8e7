import { once } from 'node:events';
import { Socket } from 'node:net';
import { BoundedLog } from '@visitor-counter/service/bounded-log';
import { createLogger } from '@visitor-counter/service/logger';
import { expect, test } from 'vitest';
import { connectionLimits } from './connection-limits.ts';

test('limits connections in total and per address', async () => {
  const refused: string[] = [];
  const limits = connectionLimits(
    { connections: 5, connectionsPerAddress: 3 },
    (limit) => refused.push(limit),
    new BoundedLog(createLogger('test', { LOG_LEVEL: 'silent' })),
  );
  const connect = (address: string) => {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
    limits.admit(socket);
    return socket;
  };
  const first = connect('10.0.0.1');
  connect('10.0.0.1');
  connect('10.0.0.1');
  expect(connect('10.0.0.1').destroyed).toBe(true);
  expect(refused).toEqual(['connectionsPerAddress']);

  connect('10.0.0.2');
  connect('10.0.0.2');
  connect('10.0.0.3');
  expect(refused).toEqual(['connectionsPerAddress', 'connections']);
  expect(limits.open()).toBe(5);

  first.destroy();
  await once(first, 'close');
  expect(limits.open()).toBe(4);
  expect(connect('10.0.0.1').destroyed).toBe(false);
  connect('10.0.0.3');
  expect(refused.at(-1)).toBe('connections');
});
