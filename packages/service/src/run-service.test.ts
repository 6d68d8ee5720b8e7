import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { isLauncher } from './run-service.ts';

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

test.each([
  [['npm exec pnpm gateway']],
  [['node', '/usr/bin/npx', 'pnpm', 'gateway']],
  [['node', '/usr/lib/node_modules/npm/bin/npx-cli.js', 'pnpm', 'gateway']],
  [['/usr/local/bin/node', '/cache/node_modules/.bin/pnpm.cjs', 'gateway']],
  [['pnpm', 'gateway']],
  [['/bin/sh', '-c', 'npx pnpm gateway > log 2>&1']],
  [['sh', '-c', "'pnpm' gateway"]],
])('%j is a launcher between a service and its caller', (argv) => {
  expect(isLauncher(argv)).toBe(true);
});

test.each([
  [['bash', '-c', 'npx pnpm gateway & sleep 9']],
  [['bash', '-c', 'npx pnpm gateway > log 2>&1 & curl localhost']],
  [['sh', '-c', 'cd shop; npx pnpm gateway']],
  [['bash', '-c', 'start npx pnpm gateway']],
  [['-bash']],
  [['bash', '/home/npm/start.sh']],
  [['python3', 'watch-npm.py']],
  [['node', '/srv/npm/supervisor.js']],
  [['']],
])('%j is a caller, and may end before the service', (argv) => {
  expect(isLauncher(argv)).toBe(false);
});
