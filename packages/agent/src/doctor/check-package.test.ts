import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkPackage, judgePackage } from './check-package.ts';

const configure = '`sudo dpkg --configure -a`';
const install = `${configure}, then \`sudo apt install ./counter-agent_*.deb\` with the same package`;

test.each([
  ['half-installed reinstreq', false, install],
  ['installed reinstreq', false, install],
  ['unpacked ok', false, configure],
  ['half-configured ok', false, configure],
  ['installed ok', true, configure],
  ['installed ok', false, undefined],
])('a package that is %s, with pending changes of dpkg %s: advises %s', (state, pending, advice) => {
  expect(judgePackage(state, pending).map((finding) => finding.advice)).toEqual(advice ? [advice] : []);
});

test('asks dpkg for the state of an installed agent, and nothing elsewhere', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'counter-dpkg-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'dpkg-query'), '#!/bin/sh\nprintf "unpacked ok"\n');
  await chmod(join(folder, 'dpkg-query'), 0o755);
  const env = { PATH: `${folder}:${process.env['PATH']}` };
  expect(await checkPackage({ ...env, COUNTER_PROGRAM: '/usr/bin/counter-agent' })).toMatchObject([
    { what: 'package', verdict: 'warn', advice: configure },
  ]);
  expect(await checkPackage(env)).toEqual([]);
});
