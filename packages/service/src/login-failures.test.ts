import { expect, test } from 'vitest';
import { LoginFailures } from './login-failures.ts';

test('counts a burst of wrong logins of an address, and then as many as the rate allows', () => {
  let now = 0;
  const failures = new LoginFailures(3, () => now);
  for (let count = 0; count < 3; count += 1) expect(failures.count('192.0.2.1')).toBe(true);
  now = 19_000;
  expect(failures.isExhausted('192.0.2.1')).toBe(true);
  expect(failures.count('192.0.2.1')).toBe(false);
  expect(failures.count('192.0.2.2')).toBe(true);
  now = 20_000;
  expect(failures.count('192.0.2.1')).toBe(true);
});
