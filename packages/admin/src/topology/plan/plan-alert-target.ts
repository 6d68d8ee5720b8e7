import { randomBytes } from 'node:crypto';
import type { StoredAlertTarget } from '@visitor-counter/database/topology/topology';
import { writeAlertTarget } from '@visitor-counter/database/topology/write-topology';
import type { Entry } from '../../file/entry.ts';
import { missingValue, wrongValue } from '../../file/problem.ts';
import type { AlertTarget, Company } from '../../file/topology.ts';
import { type Plan, planEntry, planFields } from './plan.ts';

export function planAlertTarget(plan: Plan, company: Company, entry: Entry<AlertTarget>): void {
  const { label } = entry.value;
  const stored = plan.stored.companies.get(company.key)?.alertTargets.find((one) => one.label === label);
  const target = targetOf(plan, entry, stored);
  if (target === undefined) return;
  const about = { kind: 'alertTarget', key: label, company: company.name } as const;
  const secret = entry.value.secret ?? stored?.secret ?? generated(plan, company, target);
  const whole = { ...target, secret: target.kind === 'webhook' ? secret : null };
  const write = (trx: Parameters<typeof writeAlertTarget>[0]) => writeAlertTarget(trx, company.key, whole);
  planEntry(plan, [
    stored === undefined
      ? { change: { action: 'created', ...about }, write }
      : planFields(
          about,
          {
            [whole.kind === 'webhook' ? 'url' : 'mail']: whole.address !== stored.address,
            secret: whole.secret !== stored.secret,
            enabled: whole.enabled !== stored.enabled,
          },
          write,
        ),
  ]);
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
