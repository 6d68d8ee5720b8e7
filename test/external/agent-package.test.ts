import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { leanNode, packageAgent } from '@visitor-counter/packaging/agent/package-agent';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);

let folder: string;
let deb: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counter-package-'));
  ({ path: deb } = await packageAgent({ architecture: 'amd64', out: folder }));
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

test('lintian finds no error in the package', async () => {
  const lintian = run('lintian', ['--allow-root', '--fail-on', 'error', deb]);
  await expect(lintian).resolves.toMatchObject({ stdout: '' });
});
