import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { publishAddress } from '@visitor-counter/database/embedded/find-database';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { testDatabase } from '@visitor-counter/test/test-database';
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
  [['apply', 'nothing.yaml'], 'nothing.yaml: file cannot be read: ENOENT'],
  [['apply', ''], "'' is invalid for argument 'file'. Expected a text."],
  [['restore', ''], "'' is invalid for argument 'file'. Expected a text."],
  [['\u001b[2J'], "unknown command '\\u{1b}[2J'"],
])('exits with 2 and lists the alternatives for wrong usage %j', async (args, expected) => {
  expect(await run(args)).toMatchObject({ code: 2, out: '', err: expect.stringContaining(expected) });
});

test('names a file that cannot be read, instead of the database', async () => {
  const DATA_DIR = await temporaryFolder();
  await mkdir(join(DATA_DIR, 'postgres'));
  await symlink('secrets.key', join(DATA_DIR, 'secrets.key'));
  const url = await testDatabase();
  await publishAddress(join(DATA_DIR, 'postgres'), url);
  const withFolder = adminOn(url, { DATABASE_URL: '', SECRETS_KEY: '', DATA_DIR });

  expect(await withFolder(['apply', '-'], 'companies: []')).toMatchObject({
    code: 1,
    err: `ELOOP: too many symbolic links encountered, open '${join(DATA_DIR, 'secrets.key')}'`,
  });
});
