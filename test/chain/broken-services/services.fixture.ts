import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startService } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';

/* The assertions of every test pass; only the service that it started breaks. */

async function startAgent(breakBy: string) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'profile.csv'), '# days: 1\n# interval: 30\nday,time,in,out\n0,10:00,1,0\n');
  const beams = { source: 'simulated', profile: 'profile.csv', timeZone: 'UTC', startsOn: '2026-01-01' };
  const config = join(folder, 'unit.yaml');
  const server = 'mqtt://127.0.0.1:9';
  await writeFile(config, JSON.stringify({ serial: 'CU-1', secret: 's', server, journal: 'journal', beams }));
  const preload = new URL('break-later.ts', import.meta.url).href;
  return startService('agent', ['run', '--config', config], {
    NODE_OPTIONS: `--import ${preload}`,
    BREAK_BY: breakBy,
  });
}

test('healthy', async () => {
  const agent = await startAgent('nothing');
  expect(await agent.stop()).toBe(0);
});

test('killed', async () => {
  const agent = await startAgent('nothing');
  await agent.kill();
});

test.each(['exception', 'rejection', 'exit'])('%s', async (way) => {
  const agent = await startAgent(way);
  await new Promise((resolve) => agent.child.once('close', resolve));
});

test('mistake', async () => {
  const agent = await startAgent('mistake');
  await expect.poll(agent.output).toContain('a mistake');
  await agent.stop();
});

test('in process', async () => {
  void Promise.reject(new Error('nothing handles this'));
});
