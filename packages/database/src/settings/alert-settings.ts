import type { MailLanguage } from '@visitor-counter/domain/mail';
import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, type NotNull, sql, type Transaction } from 'kysely';
import type { RuleKind } from '../alerts/alert-kinds.ts';
import { giveUpMessages } from '../alerts/deliveries.ts';
import { type Author, recordAudit } from '../audit/record-audit.ts';
import type { DB } from '../sql/schema.ts';
import { companyId as companyIdOf } from '../stores/stores.ts';

/** A company's rule for a kind of alert. */
export interface AlertRuleSettings {
  readonly kind: RuleKind;
  readonly afterSeconds: number;
  /** Null: the usual limit. */
  readonly threshold: string | null;
  readonly enabled: boolean;
}

/** Somebody who receives the alerts of a company by mail. */
export interface MailRecipient {
  /** Unique among the recipients of a company. */
  readonly label: string;
  readonly mail: string;
  readonly language: MailLanguage;
  readonly enabled: boolean;
}

/** Two recipients have the same label; or a webhook has it. */
export class LabelTaken extends Error {
  override readonly name = 'LabelTaken';
}

/** The company of a change, by id and name. */
interface ChangedCompany {
  readonly companyId: number;
  readonly company: string;
}

export async function alertRulesOf(db: Kysely<DB>, companyId: number): Promise<AlertRuleSettings[]> {
  return await db
    .selectFrom('alertRule')
    .select(['kind', 'afterSeconds', 'threshold', 'enabled'])
    .where('companyId', '=', companyId)
    .$narrowType<{ kind: RuleKind }>()
    .execute();
}

/** Sets rules; the others stay as they are. */
export async function changeAlertRules(
  db: Kysely<DB>,
  author: Author,
  { companyId, company }: ChangedCompany,
  rules: readonly AlertRuleSettings[],
): Promise<void> {
  await inCompany(db, companyId, async (trx) => {
    const known = new Map((await alertRulesOf(trx, companyId)).map((rule) => [rule.kind, rule]));
    for (const rule of rules) {
      const { kind, ...to } = rule;
      const { kind: _, ...from } = known.get(kind) ?? { kind };
      if (JSON.stringify(from) === JSON.stringify(to)) continue;
      await writeAlertRule(trx, nameKey(company), rule);
      const subject = { kind: 'alert rule', key: kind } as const;
      const details = { from: known.has(kind) ? from : null, to };
      await recordAudit(trx, author, { action: 'settings changed', company, subject, details });
    }
  });
}

/** Inserts the rule of a company for a kind of alert, or updates it. */
export async function writeAlertRule(
  db: Kysely<DB>,
  companyKey: string,
  { kind, afterSeconds, threshold, enabled }: AlertRuleSettings,
): Promise<void> {
  const values = { afterSeconds, threshold, enabled };
  await db
    .insertInto('alertRule')
    .values({ companyId: companyIdOf(companyKey), kind, ...values })
    .onConflict((known) => known.columns(['companyId', 'kind']).doUpdateSet(values))
    .execute();
}

/** By label. */
export async function mailRecipientsOf(db: Kysely<DB>, companyId: number): Promise<MailRecipient[]> {
  return await db
    .selectFrom('alertTarget')
    .select(['label', 'address as mail', 'language', 'enabled'])
    .where('companyId', '=', companyId)
    .where('kind', '=', 'mail')
    .orderBy('label', (order) => order.collate('C'))
    .$narrowType<{ mail: NotNull; language: MailLanguage }>()
    .execute();
}

/**
 * Makes these the only mail recipients of a company; webhooks stay. Pending messages to a recipient who is
 * removed or switched off are not sent. Throws LabelTaken.
 */
export async function changeMailRecipients(
  db: Kysely<DB>,
  author: Author,
  { companyId, company }: ChangedCompany,
  recipients: readonly MailRecipient[],
): Promise<void> {
  await inCompany(db, companyId, async (trx) => {
    const known = new Map((await mailRecipientsOf(trx, companyId)).map((one) => [one.label, one]));
    const wanted = new Map(recipients.map((one) => [one.label, one]));
    for (const label of known.keys()) if (!wanted.has(label)) await removeTarget(trx, companyId, label);
    for (const recipient of wanted.values()) await writeRecipient(trx, companyId, recipient);
    await giveUpMessages(trx, sql`${companyId}`);
    for (const label of new Set([...known.keys(), ...wanted.keys()])) {
      const [from = null, to = null] = [known.get(label), wanted.get(label)];
      if (JSON.stringify(from) === JSON.stringify(to)) continue;
      const subject = { kind: 'alert target', key: label } as const;
      const action = from === null ? 'created' : to === null ? 'removed' : 'settings changed';
      await recordAudit(trx, author, { action, company, subject, details: { from, to } });
    }
  });
}

async function writeRecipient(
  trx: Kysely<DB>,
  companyId: number,
  { label, mail, language, enabled }: MailRecipient,
): Promise<void> {
  const values = { address: mail, language, enabled };
  const written = await trx
    .insertInto('alertTarget')
    .values({ companyId, label, kind: 'mail', ...values })
    .onConflict((known) =>
      known.columns(['companyId', 'label']).doUpdateSet(values).where('alertTarget.kind', '=', 'mail'),
    )
    .returning('id')
    .executeTakeFirst();
  if (written === undefined) throw new LabelTaken(label);
}

async function removeTarget(trx: Kysely<DB>, companyId: number, label: string): Promise<void> {
  await trx
    .deleteFrom('alertTarget')
    .where('companyId', '=', companyId)
    .where('label', '=', label)
    .where('kind', '=', 'mail')
    .execute();
}

/** One change of a company's alerts at a time. */
async function inCompany(
  db: Kysely<DB>,
  companyId: number,
  change: (trx: Transaction<DB>) => Promise<void>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.selectFrom('company').select('id').where('id', '=', companyId).forNoKeyUpdate().execute();
    await change(trx);
  });
}
