import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { leanNode } from '@visitor-counter/packaging/agent/bundle-agent';
import { packageAgent } from '@visitor-counter/packaging/agent/package-agent';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);

let folder: string;
let deb: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counter-package-'));
  deb = await packageAgent({ architecture: 'amd64', out: folder });
});
afterAll(() => rm(folder, { recursive: true }));

test('dpkg reads the package, which contains everything that a unit needs', async () => {
  const { stdout: info } = await run('dpkg-deb', ['--info', deb]);
  expect(info).toMatch(/Package: counter-agent\n Version: \d+\.\d+\.\d+\n Architecture: amd64\n/);
  const { stdout: contents } = await run('dpkg-deb', ['--contents', deb]);
  expect(contents).toMatch(
    / \.\/usr\/lib\/counter-agent\/([0-9a-f]{12})\/agent\.mjs\n[\s\S]* \.\/usr\/lib\/counter-agent\/\1\/node\n/,
  );
  for (const path of [
    '/usr/bin/counter-agent',
    '/usr/lib/systemd/system/counter-agent.service',
    '/usr/lib/udev/rules.d/60-counter-gpio.rules',
    '/usr/lib/sysusers.d/counter-agent.conf',
    '/usr/share/counter-agent/unit.schema.json',
    '/usr/share/man/man1/counter-agent.1.gz',
    '/usr/share/lintian/overrides/counter-agent',
  ]) {
    expect(contents).toContain(` .${path}\n`);
  }
});

test('the packaged Node runs the packaged program', async () => {
  const root = join(folder, 'root');
  await run('dpkg-deb', ['--extract', deb, root]);
  const builds = join(root, 'usr/lib/counter-agent');
  const program = join(builds, ...(await readdir(builds)));
  const { stdout } = await run(join(program, 'node'), [...leanNode, join(program, 'agent.mjs'), '--help']);
  expect(stdout).toContain('The counter unit');
});

test('builds the same bytes from the same commit', async () => {
  const again = await packageAgent({ architecture: 'amd64', out: join(folder, 'again') });
  expect((await readFile(deb)).equals(await readFile(again))).toBe(true);
});

test('builds the same bytes from checkouts of a commit in different folders', {
  timeout: 400_000,
}, async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const built: Buffer[] = [];
  for (const name of ['one', 'another/and/deeper']) {
    const checkout = join(folder, name);
    await run('git', ['clone', '-q', root, checkout]);
    await run('npx', ['pnpm', 'install', '--frozen-lockfile', '--prefer-offline'], { cwd: checkout });
    // Avoids requesting the same runtime from the registry again.
    const runtimes = 'node_modules/.cache/node-runtimes';
    await cp(join(root, runtimes), join(checkout, runtimes), { recursive: true });
    const { stdout } = await run('npx', ['pnpm', '--silent', 'package:agent', '--arch', 'amd64'], {
      cwd: checkout,
    });
    built.push(await readFile(join(checkout, stdout.trim())));
  }
  expect(built[0]?.equals(built[1] ?? Buffer.alloc(0))).toBe(true);
});

test('lintian finds no error in the package', async () => {
  const lintian = run('lintian', ['--allow-root', '--fail-on', 'error', deb]);
  await expect(lintian).resolves.toMatchObject({ stdout: '' });
});
