import { randomBytes } from 'node:crypto';
import type { MailLanguage } from '@visitor-counter/domain/mail';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import type { NotNull } from 'kysely';
import Type, { type Static } from 'typebox';
import { giveUpMessages } from '../alerts/alert-messages.ts';
import {
  SealedSecretError,
  type SecretsKey,
  sealWebhook,
  unsealWebhook,
  type Webhook,
} from '../secrets/secrets-key.ts';
import type { Db } from '../sql/query-builder.ts';
import type { Owner } from './company.ts';
import { invalid, missing } from './read-entry.ts';
import { lockedRow, removeRow, type Saved, saveRow } from './save-row.ts';
import { identifier, language, mailAddress, trueOrFalse, webhookSecret, webhookUrl } from './values.ts';

/** Where alerts are sent, as it is saved, found by its label: a mail address, or a webhook. */
export const AlertTarget = Type.Object({
  label: identifier,
  url: Type.Optional(webhookUrl),
  mail: Type.Optional(mailAddress),
  secret: Type.Optional(webhookSecret),
  language: Type.Optional(language),
  enabled: Type.Optional(trueOrFalse),
});
type Given = Static<typeof AlertTarget>;

/** Pending messages to a target that is switched off are given up. `key` seals webhooks; undefined if there is none. */
export async function saveAlertTarget(trx: Db, owner: Owner, given: Given, key?: SecretsKey): Promise<Saved> {
  const { label, url, mail, secret, language, enabled } = given;
  const row = { companyId: owner.id, label };
  const stored = await lockedRow(trx, 'alertTarget', row);
  if (url !== undefined && mail !== undefined)
    throw invalid('mail', mail, 'not together with url: a target has one or the other');
  const isMail = mail !== undefined || (url === undefined && stored?.kind === 'mail');
  if (secret !== undefined && isMail)
    throw invalid('secret', secret, 'nothing: only what is sent to a url is signed');
  if (!isMail && url === undefined && stored === undefined)
    throw missing('url', 'a url, or mail, since this target is new');
  const webhook = isMail ? undefined : webhookOf(owner, given, stored?.sealed ?? undefined, key);
  const values = {
    kind: isMail ? 'mail' : 'webhook',
    address: isMail ? mail?.trim() : null,
    sealed: isMail ? null : webhook?.sealed,
    language,
    enabled,
  };
  const saved = await saveRow(trx, 'alertTarget', {
    stored,
    key: row,
    values,
    fields: { kind: isMail ? 'mail' : 'url', address: 'mail', sealed: webhook?.isNewUrl ? 'url' : 'secret' },
  });
  await giveUpMessages(trx, owner.id);
  return { ...saved, ...(webhook?.generated && { secret: webhook.generated }) };
}

/** Somebody who receives alerts by mail. */
interface MailRecipient {
  readonly label: string;
  readonly mail: string;
  readonly language: MailLanguage;
  readonly enabled: boolean;
}

/** Makes these the only mail recipients of a company; webhooks stay. */
export async function saveMailRecipients(
  trx: Db,
  owner: Owner,
  recipients: readonly MailRecipient[],
): Promise<void> {
  const targets = await trx
    .selectFrom('alertTarget')
    .select(['label', 'kind'])
    .where('companyId', '=', owner.id)
    .execute();
  const labels = new Set(recipients.map(({ label }) => label));
  for (const { label, kind } of targets)
    if (kind === 'mail' && !labels.has(label))
      await removeRow(trx, 'alertTarget', { companyId: owner.id, label });
  const webhooks = new Set(targets.flatMap(({ label, kind }) => (kind === 'webhook' ? label : [])));
  for (const [index, recipient] of recipients.entries()) {
    if (webhooks.has(recipient.label))
      throw invalid(`items[${index}].label`, recipient.label, 'another one than a webhook has');
    await saveAlertTarget(trx, owner, recipient);
  }
}

/** A webhook to store. */
interface SealedWebhook {
  readonly sealed: Buffer;
  readonly isNewUrl: boolean;
  /** The secret, if it was made here: the receiver needs it as well. */
  readonly generated: string | undefined;
}

/**
 * The webhook, encrypted; undefined if it stays as it is. With both url and secret it replaces the stored one, even if that
 * cannot be decrypted; with only one of them, the key is needed.
 */
function webhookOf(
  owner: Owner,
  { label, url, secret }: Given,
  sealed: Buffer | undefined,
  key: SecretsKey | undefined,
): SealedWebhook | undefined {
  if (url === undefined && secret === undefined) return undefined;
  const isReplaced = url !== undefined && secret !== undefined;
  const before = sealed && storedWebhook(owner, label, sealed, isReplaced, key);
  const known = secret ?? before?.secret;
  const generated = known === undefined ? `whsec_${randomBytes(32).toString('base64')}` : undefined;
  const after = { url: url ?? before?.url ?? '', secret: known ?? generated ?? '' };
  const isNewUrl = after.url !== before?.url;
  if (!isNewUrl && after.secret === before?.secret) return undefined;
  return { sealed: sealWebhook(key, after), isNewUrl, generated };
}

/** The stored webhook; undefined if it cannot be decrypted and is replaced. Throws a ConfigurationError otherwise. */
function storedWebhook(
  { name }: Owner,
  label: string,
  sealed: Buffer,
  isReplaced: boolean,
  key: SecretsKey | undefined,
): Webhook | undefined {
  try {
    return unsealWebhook(key, sealed);
  } catch (error) {
    if (!(error instanceof SealedSecretError)) throw error;
    if (isReplaced) return undefined;
    const target = `the webhook of the alert target ${JSON.stringify(label)} of ${name}`;
    const expected = `the key of ${target} (${error.message}). If that key is lost, give the target both its url and a secret`;
    throw new ConfigurationError('SECRETS_KEY', key && '…', expected);
  }
}

/** Who receives the alerts of a company by mail, by label. */
export async function mailRecipientsOf(db: Db, companyId: number) {
  return await db
    .selectFrom('alertTarget')
    .select(['label', 'address as mail', 'language', 'enabled'])
    .where('companyId', '=', companyId)
    .where('kind', '=', 'mail')
    .orderBy('label', (order) => order.collate('C'))
    .$narrowType<{ mail: NotNull; language: MailLanguage }>()
    .execute();
}
