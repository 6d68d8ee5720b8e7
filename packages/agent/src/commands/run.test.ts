import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, onTestFinished, test } from 'vitest';
import { agentMain } from '../../test/agent-main.ts';
import { startBroker } from '../../test/test-broker.ts';

test('the command restart restarts the doors and connects again', async () => {
  const broker = await startBroker();
  const folder = await temporaryFolder();
  const account = `server: ${broker.server}\nserial: CU-1\nsecret: secret\njournal: journal\n`;
  await writeFile(join(folder, 'unit.yaml'), `${account}beams: { source: replay, file: door.csv }\n`);
  await writeFile(join(folder, 'door.csv'), '1000,a,1\n');
  const agent = spawn(process.execPath, [agentMain, 'run', '--config', join(folder, 'unit.yaml')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(agent, 'close');
  let output = '';
  agent.stdout.on('data', (chunk) => {
    output += chunk;
  });
  onTestFinished(async () => {
    agent.kill('SIGKILL');
    await ended;
    await broker.close();
  });
  await expect.poll(() => broker.received.length).toBeGreaterThan(1);
  broker.publish('counter/v1/CU-1/commands', JSON.stringify({ id: 1, command: 'restart' }));
  await expect.poll(() => output.match(/connected to the server/g)).toHaveLength(2);
  expect(output).toContain('"doors restarted"');
});
