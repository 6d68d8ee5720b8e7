import type { MailLanguage } from '@visitor-counter/domain/mail';
import type { Kysely, NotNull } from 'kysely';
import type { RuleKind } from '../alerts/alert-kinds.ts';
import type { DB } from '../sql/schema.ts';

/** The rules of a company; `threshold` is null for the usual limit. */
export async function alertRulesOf(db: Kysely<DB>, companyId: number) {
  return await db
    .selectFrom('alertRule')
    .select(['kind', 'afterSeconds', 'threshold', 'enabled'])
    .where('companyId', '=', companyId)
    .orderBy('kind')
    .$narrowType<{ kind: RuleKind }>()
    .execute();
}

/** Who receives the alerts of a company by mail, by label. */
export async function mailRecipientsOf(db: Kysely<DB>, companyId: number) {
  return await db
    .selectFrom('alertTarget')
    .select(['label', 'address as mail', 'language', 'enabled'])
    .where('companyId', '=', companyId)
    .where('kind', '=', 'mail')
    .orderBy('label', (order) => order.collate('C'))
    .$narrowType<{ mail: NotNull; language: MailLanguage }>()
    .execute();
}
