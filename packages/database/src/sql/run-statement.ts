import { CompiledQuery, type Kysely } from 'kysely';
import type { DB } from './schema.ts';

/** Runs a statement whose text is always the same. */
export async function runStatement<Row>(
  db: Kysely<DB>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
}
