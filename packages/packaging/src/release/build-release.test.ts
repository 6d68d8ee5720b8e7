import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { buildRelease, releaseNotes } from './build-release.ts';

/** Begins a release without a key, which ends it before anything is built. */
async function begin(out: string): Promise<string> {
  const options = {
    architectures: ['amd64'],
    keys: { names: ['no such key'] },
    pool: undefined,
    isTrial: true,
  } as const;
  return buildRelease({ out, ...options, onStep: () => {} }).then(() => 'built', String);
}

test('replaces a folder only if it is an earlier release', async () => {
  const folder = await temporaryFolder();
  expect(await begin(join(folder, 'new'))).toContain('no such key');
  expect(await begin(folder)).toContain('no such key');
  await mkdir(join(folder, 'apt'));
  await writeFile(join(folder, 'apt/Release'), '');
  await writeFile(join(folder, 'SHA256SUMS'), `${'0'.repeat(64)}  apt/Release\n`);
  expect(await begin(folder)).toContain('no such key');

  expect(await begin(join(folder, 'SHA256SUMS'))).toMatch(
    /--out is ".*": expected a folder, and it is a file/,
  );

  await writeFile(join(folder, 'release-key.asc'), 'the only copy');
  expect(await begin(folder)).toMatch(
    /--out is ".*": expected a folder without files.*: it has release-key.asc/,
  );
  expect(await readdir(folder)).toContain('release-key.asc');
});

const checked = '- Advisories of Node and of the base image: checked on 2026-12-01, none is open.';
const changelog = `# Changelog\n\nWords.\n\n## 1.1.0 (2026-12-01)\n\n- New.\n${checked}\n\n## 1.0.0\n\n- First.\n${checked}\n`;

test('takes the section of the version, and no other one', () => {
  expect(releaseNotes(changelog, '1.1.0')).toBe(`# Visitor Counter 1.1.0\n\n- New.\n${checked}\n`);
  expect(releaseNotes(changelog, '1.0.0')).toBe(`# Visitor Counter 1.0.0\n\n- First.\n${checked}\n`);
});

test('refuses a version without a section', () => {
  expect(() => releaseNotes(changelog, '1.1')).toThrow('a section "## 1.1"');
  expect(() => releaseNotes('## 2.0.0\n\n## 1.0.0\n- x', '2.0.0')).toThrow('2.0.0');
});

test('refuses a version that is not released yet, except for a trial', () => {
  const unreleased = changelog.replace('2026-12-01', 'not released yet');
  expect(() => releaseNotes(unreleased, '1.1.0')).toThrow(
    'CHANGELOG.md is "## 1.1.0 (not released yet)": expected the date of 1.1.0 in this title, or --trial',
  );
  expect(releaseNotes(unreleased, '1.1.0', true)).toContain('- New.');
});

test('refuses a version without a checked line about the advisories of Node and of the base image', () => {
  const withLine = (line: string) => releaseNotes(changelog.replaceAll(checked, line), '1.1.0');
  expect(() => withLine('- Newer Node.')).toThrow(
    'CHANGELOG.md is "## 1.1.0 (2026-12-01)": expected a line "- Advisories of Node and of the base image: " with the date',
  );
  expect(() => withLine('- Advisories of Node and of the base image: not checked yet.')).toThrow(
    'CHANGELOG.md is "not checked yet.": expected a line',
  );
});
