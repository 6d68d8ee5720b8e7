import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { requestUpdate, updateReport } from './update.ts';

test('leaves an ordered update for the service that installs it', async () => {
  const folder = await temporaryFolder();
  const env = { COUNTER_STATE: folder, COUNTER_UPDATES: folder };
  await requestUpdate('1.4.0', env);
  expect(await readFile(join(folder, 'update-request'), 'utf8')).toBe('1.4.0\n');
  await requestUpdate(null, env);
  expect(await readFile(join(folder, 'update-request'), 'utf8')).toBe('security\n');
});

test('refuses an update where no service installs it', async () => {
  await expect(requestUpdate('1.4.0', {})).rejects.toThrow('not installed as a package');
});

test('reports how the last update has ended, and nothing if its file cannot be read', async () => {
  const folder = await temporaryFolder();
  const update = { version: '1.4.0', result: 'rolled back', reason: 'beams: busy', at: 1_795_000_000_000 };
  const env = { COUNTER_UPDATES: folder };
  expect(updateReport(env)).toEqual({});
  await writeFile(join(folder, 'result'), `${JSON.stringify(update)}\n`);
  expect(updateReport(env)).toEqual({ update });
  await writeFile(join(folder, 'result'), '{"version":');
  expect(updateReport(env)).toEqual({});
});
