import { generate, PostgresDialect } from 'kysely-codegen';
import { expect, onTestFinished, test } from 'vitest';
import { ownDatabase } from '../../test/own-database.ts';
import { migrate } from '../migrations/migrate.ts';
import { connect } from './connect.ts';

/* `vitest run -u` writes the file again after a change of the migrations. */
test('schema.ts has the tables that the migrations create, with the types that the driver reads', async () => {
  const url = await ownDatabase('test_schema');
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
