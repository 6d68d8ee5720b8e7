import type { ClientBase } from 'pg';

/**
 * Makes transactions that follow count higher than all that are stored. Only a database that was restored
 * into another server needs it: there the server's own numbers may be lower than those that came along, and
 * a reader who goes on from one of those would wait for ever. To be called before anybody writes, on a
 * connection that is not used afterwards.
 */
export async function realignCommitOrder(client: ClientBase): Promise<void> {
  /* The index tells at once that there is nothing to do; statistics do not know that. */
  await client.query('set enable_seqscan = off');
  await client.query(statement);
}

const statement = `
  update installation set transactions_before = (select max(transaction) from crossing)
  where exists (
    select from crossing
    where transaction >= transactions_before + pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  )`;
