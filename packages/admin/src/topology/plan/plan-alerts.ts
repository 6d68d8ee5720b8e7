import { randomBytes } from 'node:crypto';
import { defaultAfterSeconds } from '@visitor-counter/database/tables/alerts';
import type { StoredAlertTarget } from '@visitor-counter/database/topology/topology';
import { writeAlertRule, writeAlertTarget } from '@visitor-counter/database/topology/write-topology';
import { isAgentVersion } from '@visitor-counter/domain/agent-version';
import { parseDiskLimit } from '@visitor-counter/domain/disk-room';
import { type Entry, missingValue, type Problem, wrongValue } from '../../file/entry.ts';
import { type AlertRule, type AlertTarget, type Company, parseDuration } from '../../file/topology.ts';
import { Confidential } from './entry-fields.ts';
import { type Plan, planEntry, storedOf } from './plan.ts';

export function planAlertRule(plan: Plan, company: Company, { path, value }: Entry<AlertRule>): void {
  const { kind } = value;
  const given = value.after === undefined ? undefined : parseDuration(value.after);
  const problem = problemOf(path, value, given);
  if (problem) {
    plan.problems.push(problem);
    return;
  }
  const stored = storedOf(plan, company)?.alertRules.find((rule) => rule.kind === kind);
  const afterSeconds = given ?? stored?.afterSeconds ?? defaultAfterSeconds[kind];
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

function problemOf(path: string, value: AlertRule, after: number | undefined): Problem | undefined {
  const { kind, threshold } = value;
  if ((kind === 'capacity-reached' || kind === 'disk-low') && after !== undefined)
    return wrongValue(`${path}.after`, value.after, 'nothing: this is reported immediately');
  if (threshold === undefined || (threshold === 'default' && expectedThreshold[kind] !== undefined))
    return undefined;
  const isRight =
    (kind === 'disk-low' && parseDiskLimit(threshold) !== undefined) ||
    (kind === 'version-old' && isAgentVersion(threshold));
  const expected = expectedThreshold[kind] ?? 'nothing: only disk-low and version-old have a threshold';
  return isRight ? undefined : wrongValue(`${path}.threshold`, threshold, expected);
}

const expectedThreshold: Partial<Record<AlertRule['kind'], string>> = {
  'disk-low': 'a limit such as 500MB or 10%, or default',
  'version-old': 'a version such as 1.4.0, or default',
};

export function planAlertTarget(plan: Plan, company: Company, entry: Entry<AlertTarget>): void {
  const { label } = entry.value;
  const stored = storedOf(plan, company)?.alertTargets.find((one) => one.label === label);
  const target = targetOf(plan, entry, stored);
  if (target === undefined) return;
  const secret = entry.value.secret ?? stored?.secret ?? generated(plan, company, target);
  const whole = { ...target, secret: target.kind === 'webhook' ? secret : null };
  planEntry(
    plan,
    { kind: 'alertTarget', key: label, company: company.name },
    { stored: stored && fieldsOf(stored, whole.kind), wanted: fieldsOf(whole, whole.kind) },
    (trx) => writeAlertTarget(trx, company.key, whole),
  );
}

/** A url may contain a secret, such as those of chat services: only its host is shown. */
function fieldsOf({ address, secret, enabled }: StoredAlertTarget, kind: StoredAlertTarget['kind']) {
  const shown = URL.parse(address)?.host ?? address;
  return {
    [kind === 'webhook' ? 'url' : 'mail']: new Confidential(address, shown),
    secret: new Confidential(secret),
    enabled,
  };
}

/** The target without its secret; undefined, with a problem recorded, if the entry is ambiguous. */
function targetOf(
  { problems }: Plan,
  { path, value, unusable }: Entry<AlertTarget>,
  stored: StoredAlertTarget | undefined,
): Omit<StoredAlertTarget, 'secret'> | undefined {
  const { label, url, mail, secret } = value;
  const enabled = value.enabled ?? stored?.enabled ?? true;
  if (unusable.has('url') || unusable.has('mail')) return undefined;
  if (url !== undefined && mail !== undefined) {
    problems.push(wrongValue(`${path}.mail`, mail, 'not together with url: a target has one or the other'));
    return undefined;
  }
  if (secret !== undefined && (mail !== undefined || (url === undefined && stored?.kind === 'mail'))) {
    problems.push(wrongValue(`${path}.secret`, secret, 'nothing: only what is sent to a url is signed'));
    return undefined;
  }
  if (url !== undefined) return { label, kind: 'webhook', address: url, enabled };
  if (mail !== undefined) return { label, kind: 'mail', address: mail, enabled };
  if (stored !== undefined) return { label, kind: stored.kind, address: stored.address, enabled };
  problems.push(missingValue(`${path}.url`, 'a url, or mail, since this target is new'));
  return undefined;
}

/** A new secret that signs messages. The receiver needs it as well, so it is shown once. */
function generated(
  { secrets }: Plan,
  { name }: Company,
  { kind, label }: Omit<StoredAlertTarget, 'secret'>,
): string | null {
  if (kind !== 'webhook') return null;
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  secrets.push({ kind: 'alertTarget', company: name, label, secret });
  return secret;
}
