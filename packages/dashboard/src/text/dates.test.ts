import { expect, test } from 'vitest';
import { clockAt, timeWithZoneAt } from './dates.ts';
import { setLocale } from './locale.ts';

test('writes a time with its seconds, and with its zone', () => {
  setLocale('en', []);
  const at = new Date(2026, 10, 20, 9, 5, 7).getTime();
  expect(clockAt(at)).toBe('09:05:07');
  expect(timeWithZoneAt(Date.UTC(2026, 10, 20, 9, 5), 'UTC')).toBe('09:05 UTC');
});
