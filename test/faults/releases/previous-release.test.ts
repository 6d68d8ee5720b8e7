import { expect, test } from 'vitest';
import { previousVersion } from './previous-release.ts';

test('the previous release is that of the second section of the changelog', () => {
  const changelog = '# Changelog\n\n## 0.3.0 (not released yet)\n\n- New.\n\n## 0.2.1\n\n## 0.1.0\n';
  expect(previousVersion(changelog)).toBe('0.2.1');
  expect(previousVersion('# Changelog\n\n## 0.1.0 (not released yet)\n')).toBeUndefined();
});
