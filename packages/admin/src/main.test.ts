import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { publishAddress } from '@visitor-counter/database/embedded/find-database';
import { resultOf } from '@visitor-counter/test/result-of';
import { programArgs } from '@visitor-counter/test/service-process';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';

/** Runs the program in a process of its own. */
async function admin(args: string[], env: Record<string, string>, input = '') {
  const child = spawn(process.execPath, [...programArgs('admin'), ...args], { env, cwd: '/' });
  child.stdin.end(input);
  return resultOf(child);
}

const file = `companies: [{ name: Acme, credentials: [{ kind: counts, label: till }] }]`;

test('applies a file relative to the folder of the operator, and prints JSON', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'acme.yaml'), file);
  const env = { DATABASE_URL: await testDatabase(), INIT_CWD: folder };

  const first = await admin(['apply', 'acme.yaml', '--json'], env);
  const second = await admin(['apply', 'acme.yaml', '--json'], env);

  expect(first).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(first.out)).toEqual({
    changes: [
      { action: 'created', kind: 'company', key: 'Acme', company: 'Acme' },
      { action: 'created', kind: 'credential', key: 'counts/till', company: 'Acme' },
    ],
    secrets: [
      {
        kind: 'credential',
        company: 'Acme',
        credentialKind: 'counts',
        label: 'till',
        value: expect.stringMatching(/^[\w-]{32}$/),
      },
    ],
    unchanged: 0,
  });
  expect(JSON.parse(second.out)).toEqual({ changes: [], secrets: [], unchanged: 2 });
});

test('reads standard input, and finds the embedded database while it runs', async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'postgres'));
  await publishAddress(join(folder, 'postgres'), await testDatabase());

  const { code, out } = await admin(['apply', '-'], { DATA_DIR: folder }, file);

  expect(code).toBe(0);
  expect(out).toMatch(/^created company Acme\n.*\n2 created, 0 changed, 0 moved, 0 unchanged\n/s);
  expect(out).toMatch(/shown only this once:\n {2}counts credential till of Acme: [\w-]{32}\n$/);
});

test('prints help, and exits with 2 on wrong usage', async () => {
  const [help, wrong] = await Promise.all([admin(['apply', '--help'], {}), admin(['refund'], {})]);
  expect(help).toMatchObject({ code: 0, err: '', out: expect.stringContaining('companies:') });
  expect(wrong).toEqual({ code: 2, out: '', err: "error: unknown command 'refund'\n" });
});
