import { type NumberPosition, readTables, type TableContent } from '../backup/schema-content.ts';
import { countRows, finishLoad, loadTable, prepareToLoad } from './load-tables.ts';
import { connectRestore, RestoreRefusedError } from './open-restore.ts';

/** A table in a backup. */
export interface BackedUpTable extends TableContent {
  readonly rows: number;
}

/** What a backup contains. */
export interface BackupContent {
  readonly tables: readonly BackedUpTable[];
  readonly positions: readonly NumberPosition[];
  /** The rows of the tables that have any, in the text format of COPY; each must be read before the next one. */
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
      if (target === undefined) for await (const _ of rows);
      else await loadTable(client, target, rows);
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
