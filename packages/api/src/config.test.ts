import { expect, test } from 'vitest';
import { readApiConfig } from './config.ts';

const DATABASE_URL = 'postgres://user:hidden@db/counter';

test('needs a database and has a default for everything else', () => {
  expect(readApiConfig({ DATABASE_URL })).toEqual({
    databaseUrl: DATABASE_URL,
    host: '127.0.0.1',
    port: 8080,
    pathId: 'public',
  });
  expect(() => readApiConfig({})).toThrow(/^DATABASE_URL is not set/);
});

test('refuses garbage by name', () => {
  expect(() => readApiConfig({ DATABASE_URL, HTTP_PORT: '80a0' })).toThrow(/^HTTP_PORT is "80a0"/);
  expect(() => readApiConfig({ DATABASE_URL, HTTP_HOST: 'a b' })).toThrow(/^HTTP_HOST is "a b"/);
  for (const id of ['a/b', 'a b', '.', '..', 'ü', '%41', ':id', '*', 'health']) {
    expect(() => readApiConfig({ DATABASE_URL, API_PATH_ID: id })).toThrow(/^API_PATH_ID is /);
  }
});

test('keeps the password of a database URL to itself', () => {
  expect(() => readApiConfig({ DATABASE_URL: 'mysql://user:hidden@db/counter' })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('hidden') }),
  );
});
