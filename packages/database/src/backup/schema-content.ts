import type { ClientBase } from 'pg';

/** The text of a value must not depend on the settings of a server or role. */
export const portableText = `set client_encoding = 'UTF8'; set datestyle = 'ISO'; set timezone = 'UTC';
  set intervalstyle = 'postgres'; set bytea_output = 'hex'; set extra_float_digits = 1; set statement_timeout = 0;
  set idle_in_transaction_session_timeout = 0; set lock_timeout = 0; set jit = off`;

/** A table with the columns that are stored in a backup. */
export interface TableContent {
  readonly name: string;
  /** In the order of the table, without generated ones. */
  readonly columns: readonly string[];
}

/** The position of the numbers that an identity column issues. */
export interface NumberPosition {
  readonly table: string;
  readonly column: string;
  readonly last: string;
  /** False: `last` itself is the next number. */
  readonly isIssued: boolean;
}

/** The tables of the schema that the connection uses, without those of the migrations. */
export async function readTables(client: ClientBase): Promise<TableContent[]> {
  return (await client.query<TableContent>(tablesStatement)).rows;
}

/** The positions of all identity columns. They are not part of a snapshot: at least those of its rows. */
export async function readPositions(client: ClientBase): Promise<NumberPosition[]> {
  const { rows: columns } = await client.query<{ statement: string }>(identitiesStatement);
  const positions: NumberPosition[] = [];
  for (const { statement } of columns)
    positions.push(...(await client.query<NumberPosition>(statement)).rows);
  return positions;
}

const tablesStatement = `
  select class.relname::text as name, array_agg(attname::text order by attnum) as columns
  from pg_class class
  join pg_namespace namespace on namespace.oid = relnamespace and nspname = current_schema()
  join pg_attribute on attrelid = class.oid and attnum > 0 and not attisdropped and attgenerated = ''
  where relkind in ('r', 'p') and not relispartition and relname not in ('kysely_migration', 'kysely_migration_lock')
  group by class.relname order by class.relname`;

const identitiesStatement = `
  select format('select %L as "table", %L as "column", last_value::text as last, is_called as "isIssued" from %s',
    class.relname, attname, pg_get_serial_sequence(format('%I.%I', nspname, class.relname), attname)) as statement
  from pg_class class
  join pg_namespace namespace on namespace.oid = relnamespace and nspname = current_schema()
  join pg_attribute on attrelid = class.oid and attnum > 0 and not attisdropped and attidentity <> ''
  where relkind in ('r', 'p') and not relispartition order by class.relname, attname`;
