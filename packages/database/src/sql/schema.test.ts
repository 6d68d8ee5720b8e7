import { generate, PostgresDialect } from 'kysely-codegen';
import { expect, inject, onTestFinished, test } from 'vitest';
import { migrate } from '../migrations/migrate.ts';
import { connect } from './connect.ts';
import { createDatabase, dropDatabase } from './open-client.ts';

/* `vitest run -u` writes the file again after a change of the migrations. */
test('schema.ts has the tables that the migrations create, with the types that the driver reads', async () => {
  const server = inject('databaseServer');
  await createDatabase(server, 'test_schema');
  onTestFinished(() => dropDatabase(server, 'test_schema'));
  const url = server.replace(/[^/]*$/, 'test_schema');
  await migrate(url);
  const { kysely: db, close } = connect(url, { applicationName: 'test' });
  onTestFinished(close);

  const schema = await generate({
    db,
    dialect: new PostgresDialect(),
    camelCase: true,
    excludePattern: 'kysely_*',
    print: true,
    typeMapping: { int8: 'number', timestamptz: 'number', date: 'string', json: 'unknown', jsonb: 'unknown' },
  });
  await expect(schema).toMatchFileSnapshot('schema.ts');
});
