import { type Kysely, sql } from 'kysely';

/** Crossings know the transaction that wrote them, so that they can be read in the order of commits. */
export async function up<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  /* What makes numbers of transactions grow on where those of the server begin anew: see realign-commit-order.ts. */
  `alter table installation add column transactions_before bigint not null default 0`,
  `create function current_transaction() returns bigint language sql stable as $$
     select transactions_before + pg_current_xact_id()::text::bigint from installation
   $$`,

  /* What is stored already lies before every transaction, each row by itself, as the rows lie in the table. */
  `create sequence crossing_before minvalue -9000000000000000 start -9000000000000000 maxvalue -1 cache 10000`,
  `alter table crossing add column transaction bigint not null default nextval('crossing_before')`,
  `alter table crossing alter column transaction set default current_transaction()`,
  `drop sequence crossing_before`,
  /* Rows lie in the table in about this order, so that a range of pages is found by its lowest and highest. */
  `create index crossing_in_commit_order on crossing using brin (transaction) with (autosummarize = on)`,
];
