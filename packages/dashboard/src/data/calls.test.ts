import { expect, test } from 'vitest';
import { isRefused, RequestError } from './calls.ts';

test.each([
  [400, true],
  [403, true],
  [409, true],
  [429, false],
  [503, false],
  [0, false],
])('after status %i a request is refused for good: %s', (status, expected) => {
  expect(isRefused(new RequestError(status, ''))).toBe(expected);
});
