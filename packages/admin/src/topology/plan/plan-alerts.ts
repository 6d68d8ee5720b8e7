import { randomBytes } from 'node:crypto';
import { kindFacts, ruleProblem } from '@visitor-counter/database/alerts/alert-kinds';
import { SealedSecretError } from '@visitor-counter/database/secrets/seal';
import { sealWebhook, unsealWebhook, type Webhook } from '@visitor-counter/database/secrets/webhooks';
import { type AlertRuleSettings, writeAlertRule } from '@visitor-counter/database/settings/alert-settings';
import type { StoredAlertTarget } from '@visitor-counter/database/topology/topology';
import { writeAlertTarget } from '@visitor-counter/database/topology/write-topology';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { wrongValue } from '../../file/entry.ts';
import type { AlertRule, AlertTarget, Company } from '../../file/topology.ts';
import { parseDuration } from '../../file/values.ts';
import { addMissing, Confidential, type Plan, planEntry, storedOf } from './plan.ts';

export function planAlertRule(plan: Plan, company: Company, { path, ...given }: AlertRule): void {
  const { kind } = given;
  const problem = ruleProblem(kind, given);
  if (problem) {
    const { field, expected } = problem;
    plan.problems.push(wrongValue(`${path}.${field}`, given[field], expected));
    return;
  }
  const stored = storedOf(plan, company)?.alertRules.find((rule) => rule.kind === kind);
  const { threshold = stored?.threshold ?? 'default', enabled = stored?.enabled ?? true } = given;
  const after = given.after === undefined ? undefined : (parseDuration(given.after) ?? 0) / 1_000;
  const rule = {
    kind,
    afterSeconds: after ?? stored?.afterSeconds ?? kindFacts[kind].after,
    threshold: threshold === 'default' ? null : threshold,
    enabled,
  };
  planEntry(
    plan,
    { kind: 'alertRule', key: kind, company: company.name },
    { stored: stored && ruleFields(stored), wanted: ruleFields(rule) },
    (trx) => writeAlertRule(trx, company.key, rule),
  );
}

function ruleFields({ afterSeconds, threshold, enabled }: AlertRuleSettings) {
  return { after: afterSeconds, threshold, enabled };
}

export function planAlertTarget(plan: Plan, company: Company, given: AlertTarget): void {
  const { label } = given;
  const stored = storedOf(plan, company)?.alertTargets.find((one) => one.label === label);
  const { enabled = stored?.enabled ?? true, language = stored?.language ?? 'en' } = given;
  const planned = planTarget(plan, company, given, stored);
  if (planned === undefined) return;
  const { target, before, after } = planned;
  planEntry(
    plan,
    { kind: 'alertTarget', key: label, company: company.name },
    {
      stored: stored && { ...fieldsOf(before), language: stored.language, enabled: stored.enabled },
      wanted: { ...fieldsOf(after), language, enabled },
    },
    (trx) => writeAlertTarget(trx, company.key, { label, ...target, language, enabled }),
  );
}

/** The fields for the audit log. A url may contain a secret, such as those of chat services: only its host is shown. */
function fieldsOf(content: Content | undefined) {
  if (content === undefined) return {};
  if ('mail' in content) return { mail: content.mail };
  const host = URL.parse(content.url)?.host ?? '…';
  return { url: new Confidential(content.url, host), secret: new Confidential(content.secret) };
}

type Content = { readonly mail: string } | Webhook;

/** The target to store, and its content before and after; both are undefined if they are the same. */
interface PlannedTarget {
  readonly target: Pick<StoredAlertTarget, 'kind' | 'address' | 'sealed'>;
  readonly before: Content | undefined;
  readonly after: Content | undefined;
}

/** Mail or a webhook; undefined, with a problem recorded, if the entry is ambiguous. */
function planTarget(
  plan: Plan,
  company: Company,
  given: AlertTarget,
  stored: StoredAlertTarget | undefined,
): PlannedTarget | undefined {
  const { path, url, mail, secret } = given;
  const { problems, unusable } = plan;
  if (unusable.has(`${path}.url`) || unusable.has(`${path}.mail`)) return undefined;
  if (url !== undefined && mail !== undefined) {
    problems.push(wrongValue(`${path}.mail`, mail, 'not together with url: a target has one or the other'));
    return undefined;
  }
  if (secret !== undefined && (mail !== undefined || (url === undefined && stored?.kind === 'mail'))) {
    problems.push(wrongValue(`${path}.secret`, secret, 'nothing: only what is sent to a url is signed'));
    return undefined;
  }
  const address = mail ?? (url === undefined ? stored?.address : undefined);
  if (address) {
    const before = stored?.address ? { mail: stored.address } : undefined;
    return { target: { kind: 'mail', address, sealed: null }, before, after: { mail: address } };
  }
  if (url !== undefined || stored !== undefined)
    return planWebhook(plan, company, given, stored?.sealed ?? undefined);
  addMissing(plan, `${path}.url`, 'a url, or mail, since this target is new');
  return undefined;
}

/**
 * The webhook, encrypted. An entry with neither url nor secret keeps the stored one; one with both replaces it, even if it
 * cannot be decrypted. An entry with only one of them needs the key.
 */
function planWebhook(
  plan: Plan,
  company: Company,
  { label, url, secret }: AlertTarget,
  sealed: Buffer | undefined,
): PlannedTarget {
  if (url === undefined && secret === undefined && sealed)
    return { target: { kind: 'webhook', address: null, sealed }, before: undefined, after: undefined };
  const isReplaced = url !== undefined && secret !== undefined;
  const before = sealed && storedWebhook(plan, company, label, sealed, isReplaced);
  const after = {
    url: url ?? before?.url ?? '',
    secret: secret ?? before?.secret ?? generated(plan, company, label),
  };
  const isSame = sealed !== undefined && after.url === before?.url && after.secret === before.secret;
  return {
    target: {
      kind: 'webhook',
      address: null,
      sealed: isSame ? sealed : sealWebhook(plan.secretsKey, after),
    },
    before,
    after,
  };
}

/** The stored webhook; undefined if it cannot be decrypted and is replaced. Throws a ConfigurationError otherwise. */
function storedWebhook(
  plan: Plan,
  { name }: Company,
  label: string,
  sealed: Buffer,
  isReplaced: boolean,
): Webhook | undefined {
  try {
    return unsealWebhook(plan.secretsKey, sealed);
  } catch (error) {
    if (!(error instanceof SealedSecretError)) throw error;
    if (isReplaced) return undefined;
    const target = `the webhook of the alert target ${JSON.stringify(label)} of ${name}`;
    const expected = `the key of ${target} (${error.message}). If that key is lost, give the target both its url and a secret`;
    throw new ConfigurationError('SECRETS_KEY', plan.secretsKey && '…', expected);
  }
}

/** A new secret that signs messages. The receiver needs it as well, so it is shown once. */
function generated({ secrets }: Plan, { name }: Company, label: string): string {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  secrets.push({ kind: 'alertTarget', company: name, label, secret });
  return secret;
}
