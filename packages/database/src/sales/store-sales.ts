import { type Hundredths, moneyText } from '@visitor-counter/domain/money';
import { type Kysely, sql } from 'kysely';
import { type Author, recordAudit } from '../audit/record-audit.ts';
import { timestamp } from '../sql/instant.ts';

/** An entry of a till. */
export interface Sale {
  readonly storeId: number;
  /** Unique in the store. */
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  readonly transactions: number;
  readonly amount: Hundredths;
}

/** Sales of one request, all with different keys, and who sends them. */
interface SalesToStore {
  readonly sales: readonly Sale[];
  readonly company: string;
  readonly author: Author;
  readonly credentialId: number;
}

/** How many entries were new, replaced another content, and were stored before as they are. */
interface StoredSales {
  readonly stored: number;
  readonly replaced: number;
  readonly unchanged: number;
}

/** Stores sales, all or none. An entry with the key of a stored one replaces it. */
export async function storeSales(
  db: Kysely<unknown>,
  { sales, company, author, credentialId }: SalesToStore,
): Promise<StoredSales> {
  return await db.transaction().execute(async (trx) => {
    const { stored, replaced } = await upsert(trx, sales, credentialId);
    if (stored + replaced > 0)
      await recordAudit(trx, author, {
        action: 'sales stored',
        company,
        subject: { kind: 'company', key: company },
        details: { stored, replaced, stores: new Set(sales.map(({ storeId }) => storeId)).size },
      });
    return { stored, replaced, unchanged: sales.length - stored - replaced };
  });
}

/* In the order of the key, so that concurrent requests with the same keys wait for each other instead of deadlocking. */
async function upsert(trx: Kysely<unknown>, sales: readonly Sale[], credentialId: number) {
  const { rows } = await sql<{ stored: number; replaced: number }>`
    with written as (
      insert into sale as known (store_id, id, at, transactions, amount, credential_id)
      select given.*, ${credentialId}::integer
      from unnest(
        ${sales.map(({ storeId }) => storeId)}::integer[], ${sales.map(({ id }) => id)}::text[],
        ${sales.map(({ at }) => timestamp(at))}::timestamptz[],
        ${sales.map(({ transactions }) => transactions)}::integer[],
        ${sales.map(({ amount }) => moneyText(amount))}::numeric[]
      ) as given (store_id, id, at, transactions, amount)
      order by store_id, id collate "C"
      on conflict (store_id, id) do update set at = excluded.at, transactions = excluded.transactions,
        amount = excluded.amount, credential_id = excluded.credential_id, received_at = now()
      where (known.at, known.transactions, known.amount)
        is distinct from (excluded.at, excluded.transactions, excluded.amount)
      returning xmax = 0 as is_new
    )
    select count(*) filter (where is_new)::integer as stored, count(*) filter (where not is_new)::integer as replaced
    from written`.execute(trx);
  return rows[0] ?? { stored: 0, replaced: 0 };
}
