import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

test('a service ends if its supervisor was killed while the service was still loading', async () => {
  const supervisor = fileURLToPath(new URL('../test/brief-supervisor.ts', import.meta.url));
  const { stdout } = spawn(process.execPath, [supervisor], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await once(stdout, 'data');
  const pid = Number(output);
  let ended = false;
  onTestFinished(() => {
    if (!ended) process.kill(pid, 'SIGKILL');
  });

  /* The service holds the other end of this output. */
  await once(stdout, 'end');
  ended = true;
  expect(pid).toBeGreaterThan(1);
});
