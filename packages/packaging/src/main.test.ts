import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test.each([
  [[], 2],
  [['sd'], 2],
  [['server', '--version', 'x'], 2],
  [['sd', '--help'], 0],
])('exits with the code of all programs: %j', (args, code) => {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args]);
  expect(status).toBe(code);
});
