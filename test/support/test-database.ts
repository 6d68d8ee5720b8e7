import { randomBytes } from 'node:crypto';
import { createDatabase, dropDatabase, withClient } from '@visitor-counter/database/sql/create-database';
import { inject, onTestFinished } from 'vitest';
import { templateDatabase } from './database-server.ts';
import type { AtEnd } from './started-once.ts';

/** A migrated, empty database for the test that runs: a clone of `template`. Its address; it is dropped at the end. */
export async function testDatabase(
  template = templateDatabase,
  atEnd: AtEnd = onTestFinished,
): Promise<string> {
  const server = inject('databaseServer');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await withClient(server, (client) =>
    client.query(`create database ${name} template ${template} strategy file_copy`),
  );
  atEnd(() => dropDatabase(server, name));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** A database without tables for the test that runs; `options` is the rest of `create database`. Its address. */
export async function databaseWithoutTables(options = ''): Promise<string> {
  const server = inject('databaseServer');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await createDatabase(server, name, options);
  onTestFinished(() => dropDatabase(server, name));
  return server.replace(/[^/]*$/, name);
}

/** The same for all tests of a file, see `startedOnce`. */
export function databaseOfFile(atEnd: AtEnd): Promise<string> {
  return testDatabase(templateDatabase, atEnd);
}
