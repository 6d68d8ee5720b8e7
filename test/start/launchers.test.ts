import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';

test('SIGTERM to the npx that started a service ends it cleanly', async () => {
  const url = await testDatabase();
  const npx = spawn('npx', ['pnpm', 'gateway'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, DATABASE_URL: url, HTTP_PORT: '0', MQTT_PORT: '0', METRICS_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  npx.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
    if (output.includes('"msg":"ready"')) npx.kill('SIGTERM');
  });

  await once(npx.stdout, 'close');

  expect(output).toContain('"msg":"stopped"');
});
