import { randomBytes } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedServer } from '@visitor-counter/database/embedded/server';
import { createDatabase, withClient } from '@visitor-counter/database/sql/open-client';
import { seed } from '@visitor-counter/test/seed';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { dropDatabase } from '@visitor-counter/test/test-database';
import { expect, inject, onTestFinished, test } from 'vitest';
import { adminOn } from '../../test/run-admin.ts';

const server = () => inject('databaseServer');

/** Names of a database and its roles that no other test uses; both are dropped at the end of the test. */
function ownName(): string {
  const name = `setup_${randomBytes(6).toString('hex')}`;
  onTestFinished(async () => {
    await dropDatabase(name);
    for (const role of ['migrate', 'serve', 'read'])
      await withClient(server(), (client) => client.query(`drop role if exists ${name}_${role}`));
  });
  return name;
}

function setupOn(name: string, adminUrl = server()) {
  const run = adminOn('', { DATABASE_URL: undefined, DATABASE_ADMIN_URL: adminUrl });
  return (...options: string[]) => run(['database', 'setup', '--database', name, ...options]);
}

async function setUp(name: string): Promise<Record<'migrate' | 'serve' | 'read', string>> {
  const { code, out, err } = await setupOn(name)('--json');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const { roles } = JSON.parse(out);
  return { migrate: roles.migrate.url, serve: roles.serve.url, read: roles.read.url };
}

function tryAs(url: string, statement: string): Promise<string> {
  return withClient(url, (client) =>
    client.query(statement).then(
      () => 'done',
      (error: { code: string }) => error.code,
    ),
  );
}

test('makes a database whose indexes do not depend on the system, whatever the server uses for new ones', async () => {
  const folder = await temporaryFolder();
  const own = await startEmbeddedServer({ folder });
  onTestFinished(() => own.stop());
  const admin = own.url('postgres');
  /* As on a server that was made with the locale of its machine; the program that makes clusters has only C here. */
  await tryAs(
    admin,
    `update pg_database set datlocprovider = 'i', datlocale = 'en' where datname = 'template0'`,
  );
  const { out } = await setupOn('shop', admin)('--json');
  const collation = `select from pg_database
    where datname = 'shop' and datcollate = 'C' and datctype = 'C' and datlocale is null and datcollversion is null`;
  const { url } = JSON.parse(out).roles.serve;
  expect(await withClient(url, async (client) => (await client.query(collation)).rowCount)).toBe(1);
});

/** Insufficient privilege; only its owner may change an object; a read-only transaction. */
const refused = /^(42501|25006)$/;

test('creates everything, keeps passwords when it runs again, and replaces them if asked', async () => {
  const name = ownName();
  const first = await setUp(name);
  const again = await setupOn(name)();
  const renewed = await setupOn(name)('--new-passwords', '--json');

  expect(again.out).toContain(`the database ${name} is ready`);
  expect(again.out).not.toContain('postgres://');
  expect(await tryAs(first.serve, 'select 1').catch((error) => error.code)).toBe('28P01');
  expect(await tryAs(JSON.parse(renewed.out).roles.serve.url, 'select from crossing')).toBe('done');
});

test.each([
  'create table own (id integer)',
  'create schema own',
  'create temporary table own (id integer)',
  'create function own() returns integer language sql return 1',
  'alter table crossing add column own integer',
  'alter table crossing_void disable trigger append_only',
  'drop table crossing',
  'drop trigger append_only on crossing_void',
  'truncate crossing',
  'truncate mark',
  'truncate crossing_void',
  'create role other superuser',
  'alter role current_user createrole',
  'alter database postgres set jit = off',
  'copy (select 1) to program $$true$$',
  'set session_replication_role = replica',
])('the serving role cannot: %s', async (statement) => {
  const { serve } = await shared();
  expect(await tryAs(serve, statement)).toMatch(refused);
});

test.each([
  'insert into company (name, name_key) values ($$a$$, $$a$$)',
  'update store set name = $$a$$',
  'delete from device_state',
  'truncate mark',
  'create table own (id integer)',
  'create temporary table own (id integer)',
  'drop table mark',
  'select nextval(pg_get_serial_sequence($$crossing_void$$, $$id$$))',
  'select * from crossing for update',
])('the reading role cannot: %s', async (statement) => {
  const { read } = await shared();
  expect(await tryAs(read, statement)).toMatch(refused);
  expect(await tryAs(writingTransactions(read), statement)).toMatch(refused);
});

/** The URL of a role, with transactions that may write by default. */
function writingTransactions(url: string): string {
  return url.replace(/(\?|$)/, '?options=-c%20default_transaction_read_only%3Doff&');
}

test.each(['update crossing_void set reason = $$nothing$$', 'delete from audit_entry', 'delete from entry'])(
  'nobody can change a row of a table that is append-only: %s',
  async (statement) => {
    const { serve, migrate } = await shared();
    for (const url of [serve, migrate]) expect(await tryAs(url, statement)).toBe('P0001');
  },
);

let made: Promise<Record<'migrate' | 'serve' | 'read', string>> | undefined;
let sharedName: string | undefined;

/** The roles of one database for all tests that change nothing. */
function shared() {
  sharedName ??= `setup_${randomBytes(6).toString('hex')}`;
  made ??= setUp(sharedName);
  return made;
}

test('the reading role reads every table, and the migrating role changes them', async () => {
  const { read, migrate } = await shared();
  const tables = await withClient(migrate, (client) =>
    client.query(
      `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v')`,
    ),
  );
  for (const { relname } of tables.rows)
    expect.soft(await tryAs(read, `select from ${relname}`)).toBe('done');
  expect(
    await tryAs(migrate, 'alter table crossing add column own integer; alter table crossing drop column own'),
  ).toBe('done');
});

test('refuses a database that belongs to somebody else', async () => {
  const name = ownName();
  await createDatabase(server(), name);
  expect(await setupOn(name)()).toMatchObject({
    code: 1,
    err: expect.stringMatching(
      `the database ${name} exists and belongs to postgres: expected ${name}_migrate`,
    ),
  });
});

test('works with an administrator who is not a superuser', async () => {
  const name = ownName();
  const password = randomBytes(12).toString('hex');
  await withClient(server(), (client) =>
    client.query(`create role ${name}_admin login createrole createdb password '${password}'`),
  );
  onTestFinished(async () => {
    await withClient(server(), (client) => client.query(`drop role ${name}_admin`));
  });
  const url = new URL(server());
  url.username = `${name}_admin`;
  url.password = password;

  const { code, out, err } = await setupOn(name, url.href)('--json');
  const second = await setupOn(name, url.href)();

  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(second).toMatchObject({ code: 0, err: '' });
  expect(await tryAs(JSON.parse(out).roles.serve.url, 'truncate crossing')).toBe('42501');
  await withClient(server(), (client) => client.query(`revoke ${name}_migrate from ${name}_admin cascade`));
});

test('the roles have their rights on tables that a migration or a restore creates later', async () => {
  const name = ownName();
  const { migrate, serve, read } = await setUp(name);
  await seed(migrate).query('create table extra (id integer generated always as identity, note text)');

  expect(await tryAs(serve, `insert into extra (note) values ('x'); delete from extra`)).toBe('done');
  expect(await tryAs(serve, 'truncate extra')).toBe('42501');
  expect(await tryAs(read, 'select from extra')).toBe('done');
  expect(await tryAs(writingTransactions(read), 'delete from extra')).toBe('42501');
});

test('writes URLs to files that only their owner can read, and uses them again', async () => {
  const name = ownName();
  const folder = await temporaryFolder();
  const out = join(folder, 'roles');

  const first = await setupOn(name)('--out', out);
  const url = (await readFile(join(out, 'serve.url'), 'utf8')).trim();
  const second = await setupOn(name)('--out', out);

  expect([first.code, second.code]).toEqual([0, 0]);
  expect(first.out + second.out).not.toContain('postgres://');
  expect((await stat(join(out, 'serve.url'))).mode & 0o777).toBe(0o600);
  expect((await readFile(join(out, 'serve.url'), 'utf8')).trim()).toBe(url);
  expect(await tryAs(url, 'select from crossing')).toBe('done');
  await rm(join(out, 'read.url'));
  expect(await setupOn(name)('--out', out)).toMatchObject({
    code: 1,
    err: expect.stringContaining('--new-passwords'),
  });
});

test('uses a password that the operator chose, and refuses a weak one before it changes anything', async () => {
  const name = ownName();
  const folder = await temporaryFolder();
  const file = join(folder, 'serve_password');
  await writeFile(file, 'abcabcabcabcabcabc\n');

  expect(await setupOn(name)('--passwords', folder)).toEqual({
    code: 2,
    out: '',
    err: expect.stringMatching(
      /^--passwords is ".*serve_password": expected a password with at least 6 different/,
    ),
  });
  expect(await seed(server()).query('select from pg_roles where rolname like $1', [`${name}%`])).toEqual([]);
  await writeFile(file, 'x7 %/@:?# vbq 93 lkw\n');
  const { code, out } = await setupOn(name)('--passwords', folder, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out).roles.serve).not.toHaveProperty('url');
  const url = new URL(server().replace(/[^/]*$/, name));
  url.username = `${name}_serve`;
  url.password = encodeURIComponent('x7 %/@:?# vbq 93 lkw');
  expect(await tryAs(url.href, 'select from crossing')).toBe('done');
});
