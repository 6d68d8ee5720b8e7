import { expect, test } from 'vitest';
import { LoginFailures } from './login-failures.ts';

test('lets an address fail a number of times, and then as often as the rate allows', () => {
  const failures = new LoginFailures(3);
  for (let count = 0; count < 3; count += 1) {
    expect(failures.mayTry('a', `CU-${count}`, 0)).toBe(true);
    failures.failed('a', `CU-${count}`, 0);
  }
  expect(failures.mayTry('a', 'CU-9', 19_000)).toBe(false);
  expect(failures.mayTry('b', 'CU-9', 0)).toBe(true);
  expect(failures.mayTry('a', 'CU-9', 20_000)).toBe(true);
});

test('keeps no device out that has logged in from the address, except for failures of its own', () => {
  const failures = new LoginFailures(2);
  failures.succeeded('a', 'CU-1');
  for (let count = 0; count < 5; count += 1) failures.failed('a', `CU-x${count}`, 0);
  expect(failures.mayTry('a', 'CU-1', 0)).toBe(true);
  expect(failures.mayTry('a', 'CU-2', 0)).toBe(false);

  for (let count = 0; count < 2; count += 1) failures.failed('a', 'CU-1', 0);
  expect(failures.mayTry('a', 'CU-1', 0)).toBe(false);
});
