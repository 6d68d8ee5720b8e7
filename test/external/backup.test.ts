import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from '@visitor-counter/database/sql/connect';
import { withClient } from '@visitor-counter/database/sql/open-client';
import { runAdmin } from '@visitor-counter/test/admin';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { testDatabase } from '@visitor-counter/test/test-database';
import { expect, test } from 'vitest';
import { adminOn } from '../../packages/admin/test/run-admin.ts';
import { startPostgres } from './restore/postgres.ts';
import { type RunningCompany, startCompany, startPrograms } from './restore/running-company.ts';

/** A database on Debian's PostgreSQL with its roles: the URL of each. */
async function databaseWithRoles() {
  const server = await startPostgres();
  const DATABASE_ADMIN_URL = server.adminUrl('postgres');
  await runAdmin(['database', 'setup', '--out', server.folder], { DATABASE_ADMIN_URL });
  const urlOf = (role: string) =>
    `postgres://visitor_counter_${role}@127.0.0.1:${server.port}/visitor_counter`;
  const [migrate, serve, read] = ['migrate', 'serve', 'read'].map(urlOf) as [string, string, string];
  return { server, migrate, serve, read };
}

test('a database that is restored while the services are stopped is completed by the units', async () => {
  const { migrate, serve, read } = await databaseWithRoles();
  const folder = await temporaryFolder();
  const [asOwner, asReader] = [adminOn(migrate), adminOn(read)];
  let programs = await startPrograms(serve);
  const company = await startCompany(serve, async () => programs.units);
  await company.stored();

  const backup = await asReader(['backup', '--to', folder, '--json']);
  expect(backup).toMatchObject({ code: 0 });
  const { file } = JSON.parse(backup.out);
  const stored = (await company.rows()).length;
  await expect.poll(async () => (await company.rows()).length).toBeGreaterThan(stored + 20);
  expect(await asOwner(['restore', file])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^visitor-counter .* uses the database: stop the services first/),
  });

  await programs.stop();
  const before = (await company.rows()).length;
  expect(await asOwner(['restore', file])).toMatchObject({ code: 0, err: '' });
  expect((await company.rows()).length).toBeLessThan(before);
  programs = await startPrograms(serve, programs.port);

  const acknowledged = company.units.map((unit) => ({ ...unit }));
  await expect.poll(() => missingOf(company, acknowledged)).toBe(0);
  await company.healed();
  const [entry] = JSON.parse((await asOwner(['audit', '--json'])).out).entries;
  expect(JSON.stringify(entry)).toContain('restored');
});

/** How many of these acknowledged crossings the database lacks. */
async function missingOf(company: RunningCompany, acknowledged: RunningCompany['units']): Promise<number> {
  const stored = new Set((await company.rows()).map(({ serial, sequence }) => `${serial} ${sequence}`));
  return acknowledged
    .flatMap((unit) => Array.from({ length: unit.acknowledged }, (_, index) => `${unit.serial} ${index + 1}`))
    .filter((key) => !stored.has(key)).length;
}

test('a restore that fails changes nothing, and a smaller dump replaces newer tables', async () => {
  const { server, migrate } = await databaseWithRoles();
  const folder = await temporaryFolder();
  const run = adminOn(migrate);
  const company = (name: string) => run(['company', 'set', name]);
  const names = async () =>
    (await withClient(migrate, (client) => client.query('select name from company order by id'))).rows.map(
      ({ name }) => name,
    );
  await company('Before');
  const { file } = JSON.parse((await run(['backup', '--to', folder, '--json'])).out);
  await company('After');
  /* A later release has more tables, which the backup does not have. */
  await withClient(migrate, (client) => client.query('create table later (id integer)'));

  const other = join(folder, 'other.dump');
  await writeFile(other, 'no dump');
  expect(await run(['restore', other])).toMatchObject({
    code: 1,
    err: expect.stringContaining('Nothing was changed'),
  });
  await withClient(server.adminUrl('visitor_counter'), async (client) => {
    await client.query('begin');
    await client.query('lock table company in access share mode');
    expect(await run(['restore', file])).toMatchObject({
      code: 1,
      err: expect.stringContaining('lock timeout'),
    });
  });
  expect(await names()).toEqual(['Before', 'After']);

  /* It waits for the lock of another session; meanwhile a service connects. */
  await withClient(server.adminUrl('visitor_counter'), async (client) => {
    await client.query('begin');
    await client.query('lock table company in access share mode');
    const restoring = run(['restore', file]);
    const isWaiting = async () =>
      (await client.query('select from pg_locks where not granted')).rowCount !== 0;
    await expect.poll(isWaiting).toBe(true);
    const service = connect(`${migrate}?application_name=psql`, {
      applicationName: 'visitor-counter gateway',
    });
    await service.pool.query('select 1');
    await client.query('rollback');
    expect(await restoring).toMatchObject({
      code: 1,
      err: expect.stringContaining('a service has connected meanwhile: stop the services first'),
    });
    await service.close();
  });
  expect(await names()).toEqual(['Before', 'After']);

  expect(await run(['restore', file])).toMatchObject({ code: 0, err: '' });
  expect(await names()).toEqual(['Before']);
  expect(await run(['doctor', '--json'])).toMatchObject({ out: expect.not.stringContaining('lacks') });
});

test('names the package to install if no pg_dump fits the server', async () => {
  /* Debian has no programs for the PostgreSQL of the tests. */
  const run = adminOn(await testDatabase());
  const folder = await temporaryFolder();
  const { code, err } = await run(['backup', '--to', folder]);
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining('apt install postgresql-client-18'),
  });
  expect(await readdir(folder)).toEqual([]);
});
