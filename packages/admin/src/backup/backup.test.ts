import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { openBackup } from '@visitor-counter/database/backup/open-backup';
import { seed } from '@visitor-counter/test/seed';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { databaseWithoutTables, testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { backedUpCompany } from '../../test/backed-up-company.ts';
import { adminOn } from '../../test/run-admin.ts';
import { checkArchive } from './read-archive.ts';

test('writes a file with all tables, their rows and the version of the schema, for its owner only', async () => {
  const { run, folder, rows } = await backedUpCompany();

  const { code, out, err } = await run(['backup', '--to', join(folder, 'new', 'deep'), '--json']);

  expect({ code, err }).toEqual({ code: 0, err: '' });
  const { file, bytes, tables } = JSON.parse(out);
  expect(bytes).toBe((await stat(file)).size);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(tables).toMatchObject({ company: 1, crossing: 300, correction: 1, change: 1, rejected_message: 0 });
  const inDatabase = await rows.query(
    `select count(*)::integer as count from pg_tables where schemaname = 'public' and tablename not like 'kysely%'`,
  );
  expect(inDatabase).toEqual([{ count: Object.keys(tables).length }]);
  /* This backup, and the one that the company has. */
  expect(await rows.query("select from backup where taken_at > now() - interval '1 hour'")).toHaveLength(2);
  const { migrations, product } = await checkArchive(file);
  expect({ migrations, product }).toEqual({
    migrations: (await rows.query('select name from kysely_migration')).map(({ name }) => name),
    product: expect.stringMatching(/^\d+\.\d+\.\d+/),
  });
});

test('has the rows of one moment, also of tables that are read later', async () => {
  const url = await testDatabase();
  const rows = seed(url);
  await rows.company('Before');
  await using source = await openBackup(url);
  const copied = async (name: string) => {
    const table = source.tables.find((one) => one.name === name);
    return table ? String(await buffer(source.copy(table))) : '';
  };

  await rows.company('After');

  expect(await copied('company')).toMatch(/Before/);
  expect(await copied('company')).not.toMatch(/After/);
});

test('prints the file, its size and the removed backups', async () => {
  const { run, folder, file } = await backedUpCompany();

  const { out } = await run(['backup', '--to', folder, '--keep', '1']);

  expect(out).toMatch(
    /^\/.*\/visitor-counter-\d{8}T\d{9}Z\.tar\n\d+ kB, 300 crossings, \d+ tables, read again and correct, [\d.]+ s\nremoved /,
  );
  expect(out).toContain(`removed ${file}`);
});

test('removes the oldest backups beyond the number to keep, and no other file', async () => {
  const { run, folder } = await backedUpCompany();
  await writeFile(join(folder, 'visitor-counter-notes.tar'), '');
  const older = ['20200101T000000000Z', '20250101T000000000Z'].map((time) => `visitor-counter-${time}.tar`);
  for (const name of older) await writeFile(join(folder, name), '');

  const { removed } = JSON.parse((await run(['backup', '--to', folder, '--keep', '3', '--json'])).out);

  expect(removed).toEqual([join(folder, older[0] ?? '')]);
  expect(await readdir(folder)).toHaveLength(4);
  expect(await readdir(folder)).toContain('visitor-counter-notes.tar');
});

test('keeps the latest backup, and removes those of a clock that was ahead before older ones', async () => {
  const { run, folder, file } = await backedUpCompany();
  const ahead = ['20990101T000000000Z', '20990102T000000000Z'].map((time) => `visitor-counter-${time}.tar`);
  for (const name of ahead) await writeFile(join(folder, name), '');

  const latest = JSON.parse((await run(['backup', '--to', folder, '--keep', '2', '--json'])).out);

  expect(latest.removed).toEqual([...ahead].reverse().map((name) => join(folder, name)));
  expect((await readdir(folder)).map((name) => join(folder, name)).sort()).toEqual([file, latest.file]);
});

test('reports a complete backup when an older one cannot be removed', async () => {
  const { run, folder, file } = await backedUpCompany();
  await mkdir(join(folder, 'visitor-counter-20200101T000000000Z.tar', 'sub'), { recursive: true });

  const { code, err } = await run(['backup', '--to', folder, '--keep', '2']);

  expect(code).toBe(1);
  expect(err).toMatch(/^the backup \/.*Z.tar is complete, but older ones cannot be removed: .*20200101T/);
  expect(err).not.toContain(file);
});

test.each([
  ['/proc/x', 1, /^the backup cannot be written to \/proc\/x: ENOENT/],
  ['', 2, /^error: option '--to <folder>' argument '' is invalid. Expected a text./],
])('refuses the folder %j', async (folder, code, err) => {
  const { run } = await backedUpCompany();
  expect(await run(['backup', '--to', folder])).toMatchObject({ code, err: expect.stringMatching(err) });
});

test('a folder that cannot be written is named, and leaves the older backups', async () => {
  const { run, folder, file } = await backedUpCompany();
  await writeFile(join(folder, 'taken'), '');

  const { code, err } = await run(['backup', '--to', join(folder, 'taken'), '--keep', '1']);

  expect(code).toBe(1);
  expect(err).toMatch(/^the backup cannot be written to \/.*taken: EEXIST/);
  expect((await readFile(file)).length).toBeGreaterThan(0);
});

test('a database without tables is refused and stays empty', async () => {
  const run = adminOn(await databaseWithoutTables());
  const folder = await temporaryFolder();

  const { code, err } = await run(['backup', '--to', folder]);

  expect({ code, err }).toEqual({
    code: 1,
    err: 'the database has no tables of this product: there is nothing to back up',
  });
  expect(await readdir(folder)).toEqual([]);
});

test.each(['0', '-1', 'all', '1.5'])('refuses to keep %s backups', async (keep) => {
  const { code, err } = await adminOn('postgres://nobody@127.0.0.1:1/none')(['backup', '--keep', keep]);
  expect(code).toBe(2);
  expect(err).toContain('Expected a whole number, 1 to 10000.');
});
