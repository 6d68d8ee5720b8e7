import { expect, test } from 'vitest';
import { compareVersions, isVersion } from './version.ts';

test('orders versions by their numbers', () => {
  const versions = ['1.10.0', '1.2.10', '0.9.9', '1.2.9', '10.0.0', '1.2.10'];
  expect(versions.toSorted(compareVersions)).toEqual([
    '0.9.9',
    '1.2.9',
    '1.2.10',
    '1.2.10',
    '1.10.0',
    '10.0.0',
  ]);
});

test.each(['1.2', '1.2.3.4', '1.2.x', ' 1.2.3', '1.2.3\n', '-1.2.3', '1.2.3-rc1', '1.2.123456', ''])(
  '%j is not a version',
  (text) => expect(isVersion(text)).toBe(false),
);
