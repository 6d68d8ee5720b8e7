import { isDeepStrictEqual } from 'node:util';
import { codeOf } from '@visitor-counter/service/errors';
import { type Selectable, sql, type Updateable } from 'kysely';
import { type Author, setAuthor } from '../audit/audit-log.ts';
import { lockKeys, takeLock } from '../sql/advisory-locks.ts';
import { type Db, type Transaction, timestamp } from '../sql/query-builder.ts';
import type { DB } from '../sql/schema.ts';
import { retryOnConflict } from '../sql/unavailable.ts';

/* The only writer of configuration. Triggers of the tables add the entries of the audit log. */

/**
 * Runs a change of configuration by `author`. One runs after the other, so what one of them has read stays valid until it
 * ends: what is given is merged with what is stored then.
 */
export async function changeConfiguration<Result>(
  db: Db,
  author: Author,
  change: (trx: Transaction) => Promise<Result>,
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
  trx: Db,
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
  trx: Db,
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

/** Something cannot be removed: the message says what belongs to it. */
export class StillUsed extends Error {
  override readonly name = 'StillUsed';
}

/** The tables whose rows do not go with what they refer to, in the words of an operator. */
const dependents: Readonly<Record<string, string>> = {
  journal: 'crossings',
  entry: 'corrections',
  sale: 'sales',
  accuracy_audit: 'accuracy audits',
  rejected_message: 'rejected messages',
  device_assignment: 'devices',
  mail_report: 'reports',
};

/**
 * Removes what was created by mistake; false if there is no such row. Throws StillUsed if it has data: foreign keys refuse
 * that, and the lists of stores are searched here.
 */
export async function removeRow(
  trx: Db,
  table: ConfigurationTable,
  key: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const where = equal(key);
  if (table === 'store') await requireUnlisted(trx, sql`(select id from store where ${where})`);
  try {
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${where}`.execute(trx);
    return numAffectedRows === 1n;
  } catch (error) {
    if (codeOf(error) !== '23503') throw error;
    const dependent = String(Object(error).table);
    throw new StillUsed(`it has ${dependents[dependent] ?? `${dependent.replaceAll('_', ' ')}s`}`);
  }
}

async function requireUnlisted(trx: Db, id: ReturnType<typeof sql>): Promise<void> {
  const { rows } = await sql<{ what: string }>`
    select 'the shop group ' || name as what from shop_group where ${id} = any(store_ids)
    union all select 'the credential ' || kind || '/' || label from credential where ${id} = any(store_ids)
    union all select 'the report ' || name from mail_report where ${id} = any(store_ids)
    limit 1`.execute(trx);
  if (rows[0]) throw new StillUsed(`it belongs to ${rows[0].what}`);
}
