import { type Kysely, sql } from 'kysely';

/** Lets ranges be read from the index of their order alone, without a visit to the table for every row. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create index crossing_in_store_order_covering
     on crossing (store_id, at, device_id, journal_id, sequence) include (direction)`,
  'drop index crossing_in_store_order',
  'alter index crossing_in_store_order_covering rename to crossing_in_store_order',
];
