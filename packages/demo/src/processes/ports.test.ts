import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { choosePort } from './ports.ts';

test('goes on to the next port where the default one is taken', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const address = taken.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');

  const { port, notice } = await choosePort('HTTP_PORT', '127.0.0.1', undefined, address.port);
  expect(port).toBeGreaterThan(address.port);
  expect(notice).toContain('HTTP_PORT chooses another');
});

test('names the host where no port of it can be had', async () => {
  await expect(choosePort('HTTP_PORT', '192.0.2.1', undefined, 8080)).rejects.toThrow(
    'HTTP_HOST is "192.0.2.1": expected an address of this machine',
  );
});
