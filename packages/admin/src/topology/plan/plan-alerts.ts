import { randomBytes } from 'node:crypto';
import { kindFacts, ruleProblem } from '@visitor-counter/database/alerts/alert-kinds';
import { SealedSecretError } from '@visitor-counter/database/secrets/seal';
import { sealWebhook, unsealWebhook, type Webhook } from '@visitor-counter/database/secrets/webhook';
import { writeAlertRule } from '@visitor-counter/database/settings/alert-settings';
import type { StoredAlertTarget } from '@visitor-counter/database/topology/topology';
import { writeAlertTarget } from '@visitor-counter/database/topology/write-topology';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { type Entry, missingValue, type Problem, wrongValue } from '../../file/entry.ts';
import type { AlertRule, AlertTarget, Company } from '../../file/topology.ts';
import { parseDuration } from '../../file/values.ts';
import { Confidential } from './entry-fields.ts';
import { type Plan, planEntry, storedOf } from './plan.ts';

export function planAlertRule(plan: Plan, company: Company, { path, value }: Entry<AlertRule>): void {
  const { kind } = value;
  const problem = problemOf(path, value);
  if (problem) {
    plan.problems.push(problem);
    return;
  }
  const stored = storedOf(plan, company)?.alertRules.find((rule) => rule.kind === kind);
  const given = value.after === undefined ? undefined : parseDuration(value.after);
  const afterSeconds = given === undefined ? (stored?.afterSeconds ?? kindFacts[kind].after) : given / 1_000;
  const enabled = value.enabled ?? stored?.enabled ?? true;
  const threshold =
    value.threshold === undefined
      ? (stored?.threshold ?? null)
      : value.threshold === 'default'
        ? null
        : value.threshold;
  planEntry(
    plan,
    { kind: 'alertRule', key: kind, company: company.name },
    {
      stored: stored && { after: stored.afterSeconds, threshold: stored.threshold, enabled: stored.enabled },
      wanted: { after: afterSeconds, threshold, enabled },
    },
    (trx) => writeAlertRule(trx, company.key, { kind, afterSeconds, threshold, enabled }),
  );
}

function problemOf(path: string, rule: AlertRule): Problem | undefined {
  const problem = ruleProblem(rule.kind, rule);
  return problem && wrongValue(`${path}.${problem.field}`, rule[problem.field], problem.expected);
}

export function planAlertTarget(plan: Plan, company: Company, entry: Entry<AlertTarget>): void {
  const { label } = entry.value;
  const stored = storedOf(plan, company)?.alertTargets.find((one) => one.label === label);
  const where = whereOf(plan, entry, stored);
  if (where === undefined) return;
  const enabled = entry.value.enabled ?? stored?.enabled ?? true;
  const language = entry.value.language ?? stored?.language ?? 'en';
  const { target, before, after } =
    where.kind === 'mail'
      ? planMail(where.mail, stored)
      : planWebhook(plan, company, entry.value, stored?.sealed ?? undefined);
  planEntry(
    plan,
    { kind: 'alertTarget', key: label, company: company.name },
    {
      stored: stored && { ...fieldsOf(before), language: stored.language, enabled: stored.enabled },
      wanted: { ...fieldsOf(after), language, enabled },
    },
    (trx) => writeAlertTarget(trx, company.key, { label, kind: where.kind, ...target, language, enabled }),
  );
}

/** What the audit log shows. A url may contain a secret, such as those of chat services: only its host is shown. */
function fieldsOf(content: Content | undefined) {
  if (content === undefined) return {};
  if ('mail' in content) return { mail: content.mail };
  const host = URL.parse(content.url)?.host ?? '…';
  return { url: new Confidential(content.url, host), secret: new Confidential(content.secret) };
}

type Content = { readonly mail: string } | Webhook;
type Where = { readonly kind: 'mail'; readonly mail: string } | { readonly kind: 'webhook' };

/** Whether the target is mail or a webhook; undefined, with a problem recorded, if the entry is ambiguous. */
function whereOf(
  { problems }: Plan,
  { path, value, unusable }: Entry<AlertTarget>,
  stored: StoredAlertTarget | undefined,
): Where | undefined {
  const { url, mail, secret } = value;
  if (unusable.has('url') || unusable.has('mail')) return undefined;
  if (url !== undefined && mail !== undefined) {
    problems.push(wrongValue(`${path}.mail`, mail, 'not together with url: a target has one or the other'));
    return undefined;
  }
  if (secret !== undefined && (mail !== undefined || (url === undefined && stored?.kind === 'mail'))) {
    problems.push(wrongValue(`${path}.secret`, secret, 'nothing: only what is sent to a url is signed'));
    return undefined;
  }
  const address = mail ?? (url === undefined ? stored?.address : undefined);
  if (address) return { kind: 'mail', mail: address };
  if (url !== undefined || stored !== undefined) return { kind: 'webhook' };
  problems.push(missingValue(`${path}.url`, 'a url, or mail, since this target is new'));
  return undefined;
}

/** What to store of a target, and its content before and after; both are undefined if they are the same. */
interface PlannedTarget {
  readonly target: Pick<StoredAlertTarget, 'address' | 'sealed'>;
  readonly before: Content | undefined;
  readonly after: Content | undefined;
}

function planMail(mail: string, stored: StoredAlertTarget | undefined): PlannedTarget {
  const before = stored?.address ? { mail: stored.address } : undefined;
  return { target: { address: mail, sealed: null }, before, after: { mail } };
}

/**
 * The webhook, encrypted. A stored one is decrypted only if the entry leaves a part of it as it is and gives another one;
 * otherwise no key is needed for it.
 */
function planWebhook(
  plan: Plan,
  company: Company,
  { label, url, secret }: AlertTarget,
  sealed: Buffer | undefined,
): PlannedTarget {
  if (url === undefined && secret === undefined && sealed)
    return { target: { address: null, sealed }, before: undefined, after: undefined };
  const isReplaced = url !== undefined && secret !== undefined;
  const before = sealed && storedWebhook(plan, company, label, sealed, isReplaced);
  const after = {
    url: url ?? before?.url ?? '',
    secret: secret ?? before?.secret ?? generated(plan, company, label),
  };
  const isSame = sealed !== undefined && after.url === before?.url && after.secret === before.secret;
  return {
    target: { address: null, sealed: isSame ? sealed : sealWebhook(plan.secretsKeys, after) },
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
    return unsealWebhook(plan.secretsKeys, sealed);
  } catch (error) {
    if (!(error instanceof SealedSecretError)) throw error;
    if (isReplaced) return undefined;
    const target = `the webhook of the alert target ${JSON.stringify(label)} of ${name}`;
    const expected = `the key of ${target} (${error.message}). If that key is lost, give the target both its url and a secret`;
    throw new ConfigurationError('SECRETS_KEY', plan.secretsKeys && '…', expected);
  }
}

/** A new secret that signs messages. The receiver needs it as well, so it is shown once. */
function generated({ secrets }: Plan, { name }: Company, label: string): string {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  secrets.push({ kind: 'alertTarget', company: name, label, secret });
  return secret;
}
