import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildRelease } from './build-release.ts';

/** Begins a release without a key, which ends it before anything is built. */
async function begin(out: string): Promise<string> {
  const options = {
    architectures: ['amd64'],
    key: { file: undefined, env: {} },
    allowChanges: true,
  } as const;
  return buildRelease({ out, ...options, onStep: () => {} }).then(() => 'built', String);
}

test('replaces a folder only if it is an earlier release', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'visitor-counter-release-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  expect(await begin(join(folder, 'new'))).toContain('RELEASE_KEY');
  expect(await begin(folder)).toContain('RELEASE_KEY');
  await mkdir(join(folder, 'apt'));
  await writeFile(join(folder, 'apt/Release'), '');
  await writeFile(join(folder, 'SHA256SUMS'), `${'0'.repeat(64)}  apt/Release\n`);
  expect(await begin(folder)).toContain('RELEASE_KEY');

  expect(await begin(join(folder, 'SHA256SUMS'))).toMatch(
    /--out is ".*": expected a folder, and it is a file/,
  );

  await writeFile(join(folder, 'release-key.asc'), 'the only copy');
  expect(await begin(folder)).toMatch(
    /--out is ".*": expected a folder without files.*: it has release-key.asc/,
  );
  expect(await readdir(folder)).toContain('release-key.asc');
});
