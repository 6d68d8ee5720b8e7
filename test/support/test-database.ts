import { randomBytes } from 'node:crypto';
import { createDatabase } from '@visitor-counter/database/sql/open-client';
import { inject, onTestFinished } from 'vitest';
import { templateDatabase } from './database-server.ts';
import type { AtEnd } from './started-once.ts';
import { openPatientClient } from './with-patient-client.ts';

/** A migrated, empty database for the test that runs: a clone of `template`. Its address; it is dropped at the end. */
export async function testDatabase(
  template = templateDatabase,
  atEnd: AtEnd = onTestFinished,
): Promise<string> {
  const server = inject('databaseServer');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await administer(`create database ${name} template ${template} strategy file_copy`);
  atEnd(() => dropDatabase(name));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** A database without tables for the test that runs; `options` is the rest of `create database`. Its address. */
export async function databaseWithoutTables(options = ''): Promise<string> {
  const server = inject('databaseServer');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await createDatabase(server, name, options);
  onTestFinished(() => dropDatabase(name));
  return server.replace(/[^/]*$/, name);
}

/** The same for all tests of a file, see `startedOnce`. */
export function databaseOfFile(atEnd: AtEnd): Promise<string> {
  return testDatabase(templateDatabase, atEnd);
}

let administrator: ReturnType<typeof openPatientClient> | undefined;

/** All tests of a process use one connection for this: each connection costs a third of a database. */
async function administer(statement: string): Promise<void> {
  administrator ??= openPatientClient(inject('databaseServer'));
  const client = await administrator;
  await client.query(statement);
}

/** Drops a database of the server of the test run, cutting its connections. */
export function dropDatabase(name: string): Promise<void> {
  return administer(`drop database if exists ${name} with (force)`);
}
