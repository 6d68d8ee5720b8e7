import { expect, test } from 'vitest';
import { cleanName, nameKey } from './name-key.ts';

test.each([
  ['Acme', ' aCME '],
  ['Café', 'CAFÉ'],
  ['Straße', 'STRASSE'],
  ['ΟΔΟΣ', 'οδος'],
  ['ǅ', 'ǆ'],
])('%s and %s are the same name', (a, b) => {
  expect(nameKey(a)).toBe(nameKey(b));
});

test('returns different keys for different names', () => {
  expect(nameKey('Acme')).not.toBe(nameKey('Acme 2'));
  expect(cleanName('  Café ')).toBe('Café');
});
