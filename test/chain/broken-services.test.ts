import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, 'broken-services');

/** Runs tests of the fixture in a test run of their own. */
async function runFixture(names: readonly string[]): Promise<{ code: number | null; printed: string }> {
  const { VITEST: _, TEST_RESULTS: __, ...env } = process.env;
  const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--config', join(folder, 'vitest.config.ts'), '-t', `^(${names.join('|')})$`];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, printed: out + errors };
}

test('a test run passes with services that are healthy or killed', async () => {
  expect(await runFixture(['healthy', 'killed'])).toMatchObject({
    code: 0,
    printed: expect.stringContaining('2 passed'),
  });
});

test('a test run fails when its tests pass but services break, and says how each of them did', async () => {
  const names = ['exception', 'rejection', 'exit', 'mistake', 'in process'];
  const { code, printed } = await runFixture(names);

  for (const reason of [
    'agent did not catch an exception: [^]*Invalid time value',
    'agent did not catch an exception: [^]*nothing handles this',
    'agent ended unexpectedly \\(0\\)',
    'agent logged a mistake in its code',
    'Error: nothing handles this',
  ])
    expect(printed).toMatch(new RegExp(reason));
  expect(printed).toContain('caught 5 unhandled errors');
  expect(printed).toContain('5 passed');
  expect(code).toBe(1);
});
