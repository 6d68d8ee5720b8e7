import pg from 'pg';
import { expect, test } from 'vitest';
import { isDatabaseAway, reasonOf } from './unavailable.ts';

test('knows a refused connection, also to a name with several addresses', async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const error = await new pg.Client({ host, port: 1 }).connect().catch((reason: unknown) => reason);
    expect(isDatabaseAway(error)).toBe(true);
    expect(reasonOf(error)).toContain('connect ECONNREFUSED 127.0.0.1:1');
  }
});

test('knows a server that shuts down from a statement that is wrong', () => {
  expect(isDatabaseAway(Object.assign(new Error('terminating connection'), { code: '57P01' }))).toBe(true);
  expect(isDatabaseAway(new Error('Connection terminated unexpectedly'))).toBe(true);
  expect(isDatabaseAway(Object.assign(new Error('syntax error'), { code: '42601' }))).toBe(false);
  expect(isDatabaseAway(new TypeError('undefined is not a function'))).toBe(false);
  expect(isDatabaseAway('ECONNREFUSED')).toBe(false);
});
