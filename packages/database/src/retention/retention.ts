import { type Kysely, sql } from 'kysely';
import { type Author, recordAudit } from '../audit/record-audit.ts';
import { epochMs } from '../sql/instant.ts';

/** How long the crossings of a company are kept, and what was removed. Instants are epoch ms. */
export interface CompanyRetention {
  readonly company: string;
  /** Null: for ever. */
  readonly months: number | null;
  /** Crossings before this instant cannot be read; null if there are none such. */
  readonly before: number | null;
  /** How many were removed in all. */
  readonly removed: number;
  /** Whether all crossings before `before` are removed, except those that arrived late. */
  readonly finished: boolean;
}

/** The retention of all companies, by name. */
export async function listRetention(db: Kysely<unknown>): Promise<CompanyRetention[]> {
  const { rows } = await sql<CompanyRetention>`
    select company.name as company, retention_months as months,
      ${epochMs('max(removed_before)')} as before,
      coalesce(sum(removed), 0)::float8 as removed,
      count(*) filter (where pass.company_id is not null and finished_at is null) = 0 as finished
    from company left join retention_pass pass on pass.company_id = company.id
    group by company.id order by company.name_key collate "C"`.execute(db);
  return rows;
}

/** Sets how many months the crossings of a company are kept; null: for ever. False if there is no such company. */
export async function setRetention(
  db: Kysely<unknown>,
  author: Author,
  { companyKey, months }: { readonly companyKey: string; readonly months: number | null },
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ name: string; before: number | null }>`
      update company set retention_months = ${months}::integer
      from (select id, retention_months from company where name_key = ${companyKey} for update) known
      where company.id = known.id returning name, known.retention_months as before`.execute(trx);
    const [changed] = rows;
    if (changed === undefined) return false;
    const { name, before } = changed;
    if (before === months) return true;
    const details = { retentionMonths: { from: before, to: months } };
    await recordAudit(trx, author, {
      action: 'changed',
      company: name,
      subject: { kind: 'company', key: name },
      details,
    });
    return true;
  });
}
