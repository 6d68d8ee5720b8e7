import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { type NumberPosition, readTables, type TableContent } from '../backup/schema-content.ts';
import { connectRestore, RestoreRefusedError } from './open-restore.ts';

/** A table in a backup. */
interface BackedUpTable extends TableContent {
  readonly rows: number;
}

/** What a backup contains. */
export interface BackupContent {
  readonly tables: readonly BackedUpTable[];
  readonly positions: readonly NumberPosition[];
  /** The rows of the tables that have any, in the text format of COPY. */
  rows(): AsyncIterable<{ readonly table: string; readonly rows: AsyncIterable<Buffer> }>;
}

/**
 * Writes the rows of a backup into the tables that `createTables` created, and counts them afterwards. Returns the names of
 * tables in the backup that are not part of this product; they are left out. Throws a RestoreRefusedError if
 * the tables or the numbers of rows are not those of the backup.
 */
export async function loadBackup(url: string, backup: BackupContent): Promise<string[]> {
  const client = await connectRestore(url);
  try {
    /* The switch waits for the disk, which includes everything before it. */
    await client.query(`set synchronous_commit = off; set maintenance_work_mem = '256MB'`);
    const tables = await readTables(client);
    const known = matchingTables(tables, backup.tables);
    const statements = await prepareToLoad(client, tables);
    for await (const { table, rows } of backup.rows()) {
      const target = known.get(table);
      if (target !== undefined) await loadTable(client, target, rows);
    }
    const positions = backup.positions.filter(({ table }) => known.has(table));
    await finishLoad(client, tables, statements, positions);
    for (const { name, rows } of known.values()) {
      const counted = await countRows(client, name);
      if (counted !== rows)
        throw new RestoreRefusedError(`table ${name} has ${counted} rows, expected ${rows} as in the backup`);
    }
    return backup.tables.flatMap(({ name }) => (known.has(name) ? [] : [name]));
  } finally {
    await client.end().catch(() => {});
  }
}

/** The tables of the backup that the schema has, by name. */
function matchingTables(
  tables: readonly TableContent[],
  backedUp: readonly BackedUpTable[],
): ReadonlyMap<string, BackedUpTable> {
  const found = new Map(backedUp.map((table) => [table.name, table]));
  const known = new Map<string, BackedUpTable>();
  for (const { name, columns } of tables) {
    const table = found.get(name);
    const there = table?.columns.toSorted().join(', ') ?? 'is missing';
    const expected = columns.toSorted().join(', ');
    if (table === undefined || there !== expected)
      throw new RestoreRefusedError(
        `the backup does not fit the schema of this release: table ${name} ${table ? `has the columns ${there}` : there}, expected the columns ${expected}`,
      );
    known.set(name, table);
  }
  return known;
}

/**
 * Empties the tables of the schema, and removes what would check or change rows while they are written: foreign keys,
 * triggers and indexes without a constraint. Returns the statements that create these again.
 */
async function prepareToLoad(client: pg.Client, tables: readonly TableContent[]): Promise<string[]> {
  const { rows: removable } = await client.query<{ remove: string; create: string }>(removableStatement);
  const all = tables.map(({ name }) => pg.escapeIdentifier(name));
  await client.query(all.map((table) => `alter table ${table} disable trigger user`).join('; '));
  for (const { remove } of removable) await client.query(remove);
  await client.query(`truncate ${all.join(', ')}`);
  return removable.map(({ create }) => create).reverse();
}

/** Writes rows in the text format of COPY. */
async function loadTable(
  client: pg.Client,
  { name, columns }: TableContent,
  rows: AsyncIterable<Buffer>,
): Promise<void> {
  const target = `${pg.escapeIdentifier(name)} (${columns.map(pg.escapeIdentifier).join(', ')})`;
  await pipeline(rows, client.query(copyFrom(`copy ${target} from stdin`)));
}

/** Creates again what `prepareToLoad` removed, which checks every reference, and updates the planner's statistics. */
async function finishLoad(
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
      [table, column, last, isIssued],
    );
  await client.query(`analyze ${tables.map(({ name }) => pg.escapeIdentifier(name)).join(', ')}`);
}

/** The number of rows in a table, counted. */
async function countRows(client: pg.Client, table: string): Promise<number> {
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
