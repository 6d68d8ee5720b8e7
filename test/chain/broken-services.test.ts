import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, 'broken-services');

/** Runs one test of the fixture in a test run of its own. */
async function runFixture(name: string): Promise<{ code: number | null; printed: string }> {
  const { VITEST: _, TEST_RESULTS: __, ...env } = process.env;
  const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', join(folder, 'vitest.config.ts'), '-t', `^${name}$`];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, printed: out + errors };
}

test.each(['healthy', 'killed'])('a test run passes with a service that is %s', async (name) => {
  expect(await runFixture(name)).toMatchObject({ code: 0, printed: expect.stringContaining('1 passed') });
});

test.each([
  ['exception', 'agent did not catch an exception'],
  ['rejection', 'agent did not catch an exception'],
  ['exit', 'agent ended unexpectedly (0)'],
  ['mistake', 'agent logged a mistake in its code'],
  ['in process', 'nothing handles this'],
])('a test run fails when its tests pass but a service breaks: %s', async (name, reason) => {
  const { code, printed } = await runFixture(name);

  expect(printed).toContain(reason);
  expect(printed).toContain('1 passed');
  expect(code).toBe(1);
});
