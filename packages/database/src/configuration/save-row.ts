import { isDeepStrictEqual } from 'node:util';
import { type Kysely, type Selectable, sql, type Transaction, type Updateable } from 'kysely';
import { type Author, setAuthor } from '../audit/record-audit.ts';
import { retryOnConflict } from '../ingest/storing-error.ts';
import { lockKeys, takeLock } from '../sql/advisory-locks.ts';
import { timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';

/* The only writer of configuration. Triggers of the tables add the entries of the audit log. */

/**
 * Runs a change of configuration by `author`. One runs after the other, so what one of them has read stays valid until it
 * ends: what is given is merged with what is stored then.
 */
export async function changeConfiguration<Result>(
  db: Kysely<DB>,
  author: Author,
  change: (trx: Transaction<DB>) => Promise<Result>,
): Promise<Result> {
  /* Alerts and judgements lock the same rows in another order. */
  return await retryOnConflict(() =>
    db.transaction().execute(async (trx) => {
      await takeLock(trx, lockKeys.topology);
      await setAuthor(trx, author);
      return await change(trx);
    }),
  );
}

/** What saving an entry did. */
export interface Saved {
  readonly action: 'created' | 'changed' | 'moved' | 'unchanged';
  /** The fields that differ, by the names that an entry has. */
  readonly fields: readonly string[];
  /** A secret that was generated: it is stored nowhere. */
  readonly secret?: string;
  /** How many stored crossings were moved with a device. */
  readonly crossings?: number;
}

export type ConfigurationTable =
  | 'company'
  | 'store'
  | 'shopGroup'
  | 'device'
  | 'credential'
  | 'alertRule'
  | 'alertTarget'
  | 'mailReport';

type Columns = Readonly<Record<string, unknown>>;

/** The row with these values of columns, locked until the end of the transaction. */
export async function lockedRow<Table extends ConfigurationTable>(
  trx: Kysely<DB>,
  table: Table,
  key: Updateable<DB[Table]>,
): Promise<Row<Table> | undefined> {
  const { rows } = await sql<Row<Table>>`
    select * from ${sql.table(table)} where ${equal(key)} for no key update`.execute(trx);
  return rows[0];
}

type Row<Table extends ConfigurationTable> = Selectable<DB[Table]>;

/** How a row is saved. */
interface RowToSave<Table extends ConfigurationTable> {
  /** As `lockedRow` has read it; undefined inserts one. */
  readonly stored: Row<Table> | undefined;
  /** The columns that identify the row. */
  readonly key: Updateable<DB[Table]>;
  /** What it must have; instants of columns that end with `At` in epoch ms. */
  readonly values: Updateable<DB[Table]>;
  /** The fields of an entry whose columns have other names. */
  readonly fields?: { readonly [Name in keyof DB[Table]]?: string };
}

/** Inserts a row, or updates the columns that differ. */
export async function saveRow<Table extends ConfigurationTable>(
  trx: Kysely<DB>,
  table: Table,
  { stored, key, values, fields }: RowToSave<Table>,
): Promise<Saved> {
  const names: Readonly<Record<string, string>> = { ...fields };
  const before: Columns | undefined = stored && { ...stored };
  const wanted = Object.entries<unknown>(values).filter(([, value]) => value !== undefined);
  if (before === undefined) {
    const all = [...Object.entries<unknown>(key), ...wanted];
    await sql`
      insert into ${sql.table(table)} (${sql.join(all.map(([column]) => sql.ref(column)))})
      values (${sql.join(all.map(parameter))})`.execute(trx);
    return { action: 'created', fields: [] };
  }
  const changed = wanted.filter(([column, value]) => !isDeepStrictEqual(before[column], value));
  if (changed.length === 0) return { action: 'unchanged', fields: [] };
  const assignments = changed.map((one) => sql`${sql.ref(one[0])} = ${parameter(one)}`);
  await sql`update ${sql.table(table)} set ${sql.join(assignments)} where ${equal(key)}`.execute(trx);
  return { action: 'changed', fields: [...new Set(changed.map(([column]) => names[column] ?? column))] };
}

function equal(key: object) {
  const conditions = Object.entries(key).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  return sql.join(conditions, sql` and `);
}

/** Lists of objects and objects are JSON, lists of texts or numbers are arrays. */
function parameter([column, value]: readonly [string, unknown]): unknown {
  if (typeof value === 'number' && /At$/.test(column)) return timestamp(value);
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value)) return value;
  const isArray = Array.isArray(value) && value.every((item) => typeof item !== 'object');
  return isArray ? value : JSON.stringify(value);
}
