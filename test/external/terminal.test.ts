import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { programArgs } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';

test('Ctrl-C in a terminal stops everything, PostgreSQL too, and reports it', async () => {
  const dataFolder = await temporaryFolder();
  const typist = fileURLToPath(new URL('type-ctrl-c.py', import.meta.url));
  const env = { ...process.env, DATA_DIR: dataFolder, MQTT_PORT: '0', HTTP_PORT: '0' };

  const { stdout } = await promisify(execFile)(
    'python3',
    [typist, 'Ctrl-C stops everything.', '100x40', process.execPath, ...programArgs('demo')],
    {
      env,
      maxBuffer: 2 ** 26,
    },
  );

  expect(stdout).toContain('Ctrl-C stops everything.');
  expect(stdout).toContain('Stopped. The next start continues from here.');
  const log = await readFile(join(dataFolder, 'postgres', 'server.log'), 'utf8');
  expect(log.trimEnd()).toMatch(/database system is shut down$/);
});
