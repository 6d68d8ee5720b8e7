import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageAgent } from '@visitor-counter/packaging/package-agent';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);

let folder: string;
let deb: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counter-package-'));
  deb = await packageAgent({ architecture: 'amd64', out: folder });
});
afterAll(() => rm(folder, { recursive: true }));

test('dpkg reads the package, and finds everything that a unit needs in it', async () => {
  const { stdout: info } = await run('dpkg-deb', ['--info', deb]);
  expect(info).toMatch(/Package: counter-agent\n Version: \d+\.\d+\.\d+\n Architecture: amd64\n/);
  const { stdout: contents } = await run('dpkg-deb', ['--contents', deb]);
  for (const path of [
    '/usr/bin/counter-agent',
    '/usr/lib/counter-agent/node',
    '/usr/lib/counter-agent/agent.mjs',
    '/usr/lib/systemd/system/counter-agent.service',
    '/usr/lib/udev/rules.d/60-counter-gpio.rules',
    '/usr/lib/sysusers.d/counter-agent.conf',
    '/usr/share/counter-agent/unit.schema.json',
    '/usr/share/man/man1/counter-agent.1.gz',
  ]) {
    expect(contents).toContain(` .${path}\n`);
  }
});

test('the Node in it runs the program in it', async () => {
  const root = join(folder, 'root');
  await run('dpkg-deb', ['--extract', deb, root]);
  const program = join(root, 'usr/lib/counter-agent');
  const { stdout } = await run(join(program, 'node'), ['--lite-mode', join(program, 'agent.mjs'), '--help']);
  expect(stdout).toContain('The counter unit');
});

test('the same commit gives the same bytes', async () => {
  const again = await packageAgent({ architecture: 'amd64', out: join(folder, 'again') });
  expect((await readFile(deb)).equals(await readFile(again))).toBe(true);
});
