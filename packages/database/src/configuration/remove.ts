import { codeOf } from '@visitor-counter/service/errors';
import { type Kysely, sql } from 'kysely';
import type { DB } from '../sql/schema.ts';
import type { ConfigurationTable } from './save-row.ts';

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
  trx: Kysely<DB>,
  table: ConfigurationTable,
  key: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const conditions = Object.entries(key).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  const where = sql.join(conditions, sql` and `);
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

async function requireUnlisted(trx: Kysely<DB>, id: ReturnType<typeof sql>): Promise<void> {
  const { rows } = await sql<{ what: string }>`
    select 'the shop group ' || name as what from shop_group where ${id} = any(store_ids)
    union all select 'the credential ' || kind || '/' || label from credential where ${id} = any(store_ids)
    union all select 'the report ' || name from mail_report where ${id} = any(store_ids)
    limit 1`.execute(trx);
  if (rows[0]) throw new StillUsed(`it belongs to ${rows[0].what}`);
}
