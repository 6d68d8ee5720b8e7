import { withClient } from '@visitor-counter/database/sql/open-client';
import pg from 'pg';
import { expect, test } from 'vitest';
import { ownDatabase } from '../../test/own-database.ts';
import { migrate } from './migrate.ts';

test('brings an empty database up to date once, when five processes start at the same moment', async () => {
  const url = await ownDatabase('test_migrate');

  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(url)));

  expect(applied.filter(({ length }) => length > 0)).toEqual([
    expect.arrayContaining(['20261129T0000-first-schema']),
  ]);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select id from installation');
  await client.end();
  expect(rows).toHaveLength(1);
});

test('refuses a server older than PostgreSQL 15', async () => {
  const url = await ownDatabase('test_old_server');
  /* As if the server were an older one. */
  await withClient(url, (client) =>
    client.query(`
      create function current_setting(text) returns text immutable language sql as
        $$ select case $1 when 'server_version_num' then '140018' else '14.18 (Debian 14.18-1)' end $$;
      alter database test_old_server set search_path = public, pg_catalog`),
  );

  await expect(migrate(url)).rejects.toThrow(
    /^the database is "test_old_server at 127\.0\.0\.1:\d+": expected PostgreSQL 15 or newer; its server is PostgreSQL 14\.18$/,
  );
});

/** A new database with the schema of this release, in which `statements` are run. */
async function changedDatabase(name: string, ...statements: readonly string[]): Promise<string> {
  const url = await ownDatabase(name);
  await migrate(url);
  for (const statement of statements) await withClient(url, (client) => client.query(statement));
  return url;
}

test('refuses a schema that another release has changed, and leaves it as it is', async () => {
  const url = await changedDatabase(
    'test_later_release',
    `insert into kysely_migration values ('29991231T2359-later', now())`,
    `delete from kysely_migration where name < '2999'`,
  );
  await expect(migrate(url)).rejects.toThrow(
    /^the database is "test_later_release at 127\.0\.0\.1:\d+": expected a schema of release .* has 29991231T2359-later, .*Install the release that has changed the schema/,
  );
});
