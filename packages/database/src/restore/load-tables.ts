import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { NumberPosition, TableContent } from '../backup/schema-content.ts';
import { onClient } from '../sql/run-statement.ts';

/**
 * Empties the tables of the schema, and removes what would check or change rows while they are written: foreign keys,
 * triggers and indexes without a constraint. Returns the statements that create these again.
 */
export async function prepareToLoad(client: pg.Client, tables: readonly TableContent[]): Promise<string[]> {
  const run = onClient(client);
  const removable = await run<{ remove: string; create: string }>(
    'restore-removable',
    removableStatement,
    [],
  );
  const all = tables.map(({ name }) => pg.escapeIdentifier(name));
  await client.query(all.map((table) => `alter table ${table} disable trigger user`).join('; '));
  for (const { remove } of removable) await client.query(remove);
  await client.query(`truncate ${all.join(', ')}`);
  return removable.map(({ create }) => create).reverse();
}

/** Writes rows in the text format of COPY, and returns their number. */
export async function loadTable(
  client: pg.Client,
  { name, columns }: TableContent,
  rows: AsyncIterable<Buffer>,
): Promise<number> {
  const target = `${pg.escapeIdentifier(name)} (${columns.map(pg.escapeIdentifier).join(', ')})`;
  const copy = client.query(copyFrom(`copy ${target} from stdin`));
  await pipeline(rows, copy);
  return copy.rowCount;
}

/** Creates again what `prepareToLoad` removed, which checks every reference, and updates the planner's statistics. */
export async function finishLoad(
  client: pg.Client,
  tables: readonly TableContent[],
  statements: readonly string[],
  positions: readonly NumberPosition[],
): Promise<void> {
  for (const statement of statements) await client.query(statement);
  for (const { name } of tables)
    await client.query(`alter table ${pg.escapeIdentifier(name)} enable trigger user`);
  for (const { table, column, last, isIssued } of positions)
    await client.query(
      'select setval(pg_get_serial_sequence(quote_ident($1), $2), $3::bigint, $4::boolean)',
      [...[table, column, last, isIssued]],
    );
  await client.query(`analyze ${tables.map(({ name }) => pg.escapeIdentifier(name)).join(', ')}`);
}

/** The number of rows in a table, counted. */
export async function countRows(client: pg.Client, table: string): Promise<number> {
  const { rows } = await client.query<{ rows: string }>(
    `select count(*) as rows from ${pg.escapeIdentifier(table)}`,
  );
  return Number(rows[0]?.rows);
}

/* Foreign keys go first and come back last. */
const removableStatement = `
  select format('alter table %I drop constraint %I', relname, conname) as remove,
    format('alter table %I add constraint %I %s', relname, conname, pg_get_constraintdef(con.oid)) as create
  from pg_constraint con join pg_class class on class.oid = conrelid
  join pg_namespace namespace on namespace.oid = relnamespace and nspname = current_schema()
  where contype = 'f' and conparentid = 0
  union all
  select format('drop index %I', indexed.relname), pg_get_indexdef(indexrelid)
  from pg_index join pg_class indexed on indexed.oid = indexrelid
  join pg_namespace namespace on namespace.oid = indexed.relnamespace and nspname = current_schema()
  where not indexed.relispartition and not exists (select from pg_constraint where conindid = indexrelid)`;
