import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../..', import.meta.url));

test('writes the licence texts of Node and of every package that is installed', {
  timeout: 60_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'licences-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  /* As in an image: the licence of Node next to its program. */
  await mkdir(join(folder, 'bin'));
  await copyFile(process.execPath, join(folder, 'bin/node'));
  await writeFile(join(folder, 'LICENSE'), 'Node.js is licensed for use');
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));

  const program = fileURLToPath(new URL('write-licences.ts', import.meta.url));
  await run(join(folder, 'bin/node'), [program, join(folder, 'doc/licences')], { cwd: folder });

  const written = await readFile(join(folder, 'doc/licences'), 'utf8');
  expect(written).toContain('Node.js is licensed for use');
  const installed = (await readdir(join(root, 'node_modules/.pnpm'))).flatMap(
    (name) => /^((?:@[^+@]+\+)?[^+@]+)@(\d[^_()]*)/.exec(name)?.slice(1, 3).join(' ').replace('+', '/') ?? [],
  );
  expect(installed.length).toBeGreaterThan(100);
  for (const title of installed) expect(written).toContain(`\n${title} (`);
});
