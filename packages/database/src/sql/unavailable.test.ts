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

function errorOf(code: string, message = 'refused'): Error {
  return Object.assign(new Error(message), { code });
}

test.each([
  ['08P01', 'a pooler without a server'],
  ['25006', 'only reading allowed'],
  ['28P01', 'a password that was changed'],
  ['53100', 'a full disk'],
  ['53300', 'too many connections'],
  ['54000', 'no more transaction numbers'],
  ['57P01', 'a server that shuts down'],
  ['57P03', 'a server that starts'],
  ['57P04', 'a database that was dropped'],
  ['58030', 'a disk that cannot be read'],
  ['EAI_AGAIN', 'a name that cannot be resolved now'],
  ['CERT_HAS_EXPIRED', 'a certificate that has expired'],
])('recognises %s: %s', (code) => {
  const syscall = code.startsWith('EAI') ? { syscall: 'getaddrinfo' } : {};
  expect(isDatabaseUnavailable(Object.assign(errorOf(code), syscall))).toBe(true);
});

test.each([
  'Connection terminated unexpectedly',
  'Query read timeout',
  'database "visitors" is not currently accepting connections',
  'could not write init file',
])('recognises by its message that a session cannot begin or has ended: %s', (message) =>
  expect(isDatabaseUnavailable(errorOf('XX000', message))).toBe(true),
);

test.each(['42601', '23505', '22003', '40P01', '57014', 'ENOENT'])('passes on %s', (code) => {
  expect(isDatabaseUnavailable(errorOf(code))).toBe(false);
});

test('does not treat a value that is not an error as an unavailable database', () => {
  expect(isDatabaseUnavailable(new TypeError('undefined is not a function'))).toBe(false);
  expect(isDatabaseUnavailable('ECONNREFUSED')).toBe(false);
});
