import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { choosePort } from './ports.ts';

test('tries the next port if the default one is in use', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const address = taken.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');

  const { port, notice } = await choosePort('HTTP_PORT', '127.0.0.1', undefined, address.port);
  expect(port).toBeGreaterThan(address.port);
  expect(notice).toContain('HTTP_PORT chooses another');
});

test('names the host if none of its ports can be used', async () => {
  await expect(choosePort('HTTP_PORT', '192.0.2.1', undefined, 8080)).rejects.toThrow(
    'HTTP_HOST is "192.0.2.1": expected an address of this machine',
  );
});
