import { expect, test } from 'vitest';
import { releaseNotes } from './release-notes.ts';

const changelog = '# Changelog\n\nWords.\n\n## 1.1.0 (2026-12-01)\n\n- New.\n\n## 1.0.0\n\n- First.\n';

test('takes the section of the version, and no other one', () => {
  expect(releaseNotes(changelog, '1.1.0')).toBe('# Visitor Counter 1.1.0\n\n- New.\n');
  expect(releaseNotes(changelog, '1.0.0')).toBe('# Visitor Counter 1.0.0\n\n- First.\n');
});

test('refuses a version without a section', () => {
  expect(() => releaseNotes(changelog, '1.1')).toThrow('a section "## 1.1"');
  expect(() => releaseNotes('## 2.0.0\n\n## 1.0.0\n- x', '2.0.0')).toThrow('2.0.0');
});
