import { reasonOf } from '@visitor-counter/service/errors';
import pg from 'pg';
import { expect, test } from 'vitest';
import { isDatabaseUnavailable } from './unavailable.ts';

test('recognises a refused connection, also to a host with several addresses', async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const error = await new pg.Client({ host, port: 1 }).connect().catch((reason: unknown) => reason);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(reasonOf(error)).toContain('connect ECONNREFUSED 127.0.0.1:1');
  }
});

test('recognises a socket that a stopped server has removed, and no other missing file', async () => {
  const error = await new pg.Client({ host: '/nonexistent' }).connect().catch((reason: unknown) => reason);
  expect(isDatabaseUnavailable(error)).toBe(true);
  expect(
    isDatabaseUnavailable(Object.assign(new Error('no file'), { code: 'ENOENT', syscall: 'open' })),
  ).toBe(false);
});

test('distinguishes a server that shuts down from an invalid statement', () => {
  expect(isDatabaseUnavailable(Object.assign(new Error('terminating connection'), { code: '57P01' }))).toBe(
    true,
  );
  expect(isDatabaseUnavailable(new Error('Connection terminated unexpectedly'))).toBe(true);
  expect(isDatabaseUnavailable(Object.assign(new Error('syntax error'), { code: '42601' }))).toBe(false);
  expect(isDatabaseUnavailable(new TypeError('undefined is not a function'))).toBe(false);
  expect(isDatabaseUnavailable('ECONNREFUSED')).toBe(false);
});
