import { expect, test } from 'vitest';
import { adminOn } from '../test/run-admin.ts';

const run = adminOn('postgres://127.0.0.1:1/none');

test('prints its version', async () => {
  expect(await run(['--version'])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
});

test.each([
  [[], 'DATABASE_URL'],
  [['apply'], 'companies:'],
  [['token'], 'revoke'],
  [['token', 'issue'], '--rotate'],
  [['token', 'list'], '--json'],
  [['token', 'revoke'], '--label'],
  [['device', 'list'], '--company'],
  [['enrolment', 'create'], '(default: 7d)'],
  [['device', 'command'], '(default: 24h)'],
  [['device', 'diagnose'], '(default: 24h)'],
])('prints help for %j', async (command, expected) => {
  expect(await run([...command, '--help'])).toMatchObject({
    code: 0,
    out: expect.stringContaining(expected),
    err: '',
  });
});

test.each([
  [[], 'apply'],
  [['token'], 'issue'],
  [['refund'], "unknown command 'refund'"],
  [['apply'], "missing required argument 'file'"],
  [['apply', 'nothing.yaml'], 'nothing.yaml: file cannot be read (ENOENT'],
])('exits with 2 and lists the alternatives for wrong usage %j', async (args, expected) => {
  expect(await run(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(expected) });
});
