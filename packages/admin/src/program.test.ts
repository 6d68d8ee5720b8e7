import { expect, test } from 'vitest';
import { adminOn } from './testing/run-admin.ts';

const run = adminOn('postgres://127.0.0.1:1/none');

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
])('%j has help', async (command, told) => {
  expect(await run([...command, '--help'])).toMatchObject({
    code: 0,
    out: expect.stringContaining(told),
    err: '',
  });
});

test.each([
  [[], 'apply'],
  [['token'], 'issue'],
  [['refund'], "unknown command 'refund'"],
  [['apply'], "missing required argument 'file'"],
  [['apply', 'nothing.yaml'], 'nothing.yaml: file cannot be read (ENOENT'],
])('wrong usage %j ends with 2 and tells what there is', async (args, told) => {
  expect(await run(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(told) });
});
