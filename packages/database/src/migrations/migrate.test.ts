import { createDatabase, dropDatabase, withClient } from '@visitor-counter/database/sql/create-database';
import pg from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { migrate } from './migrate.ts';

test('brings an empty database up to date once, when five processes start at the same moment', async () => {
  const server = inject('databaseServer');
  await createDatabase(server, 'test_migrate');
  onTestFinished(() => dropDatabase(server, 'test_migrate'));
  const url = server.replace(/[^/]*$/, 'test_migrate');

  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(url)));

  expect(applied.filter(({ length }) => length > 0)).toEqual([
    expect.arrayContaining(['20261123T0000-first-schema']),
  ]);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select id from installation');
  await client.end();
  expect(rows).toHaveLength(1);
});

test('names the setting when the server refuses the password or has no such database', async () => {
  const wrongPassword = new URL(inject('databaseServer'));
  wrongPassword.password = 'not-the-password';
  const noDatabase = new URL('/no_such_database', inject('databaseServer'));

  await expect(migrate(wrongPassword.href)).rejects.toThrow(
    /^DATABASE_URL is "…": .*password authentication failed/,
  );
  await expect(migrate(noDatabase.href)).rejects.toThrow(
    /^DATABASE_URL is "…": .*"no_such_database" does not exist/,
  );
});

test('refuses the schema of a later release, and names the migration that it does not have', async () => {
  const server = inject('databaseServer');
  await createDatabase(server, 'test_later_release');
  onTestFinished(() => dropDatabase(server, 'test_later_release'));
  const url = server.replace(/[^/]*$/, 'test_later_release');
  await migrate(url);
  await withClient(url, (client) =>
    client.query(`insert into kysely_migration values ('29991231T2359-later', now())`),
  );

  await expect(migrate(url)).rejects.toThrow(
    /^the database is "test_later_release at 127\.0\.0\.1:\d+": .*later release \(29991231T2359-later\)/,
  );
});
