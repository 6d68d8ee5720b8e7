import type { Applied } from './apply-topology.ts';
import type { Change, NewSecret } from './plan/plan.ts';

/** The result of applying a file, for people. */
export function appliedText({ changes, secrets, unchanged }: Applied): string {
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  const counts = `${count('created')} created, ${count('changed')} changed, ${count('moved')} moved, ${unchanged} unchanged`;
  const newSecrets =
    secrets.length === 0 ? [] : ['', 'New secrets, shown only this once:', ...secrets.map(secretText)];
  return [...changes.map(changeText), counts, ...newSecrets].join('\n');
}

const kindNames: Record<Change['kind'], string> = {
  company: 'company',
  store: 'store',
  shopGroup: 'shop group',
  device: 'device',
  credential: 'credential',
  alertRule: 'alert rule',
  alertTarget: 'alert target',
};

function changeText({ action, kind, key, company, fields, crossings }: Change): string {
  const owner = kind === 'company' ? '' : ` of ${company}`;
  const what = action === 'changed' && fields ? `: ${fields.join(', ')}` : '';
  const along = crossings ? `, ${crossings} crossings with it` : '';
  return `${action} ${kindNames[kind]} ${key}${owner}${what}${along}`;
}

function secretText(secret: NewSecret): string {
  if (secret.kind === 'device') return `  device ${secret.serial} of ${secret.company}: ${secret.secret}`;
  if (secret.kind === 'alertTarget')
    return `  alert target ${secret.label} of ${secret.company}: ${secret.secret}`;
  return `  ${secret.credentialKind} credential ${secret.label} of ${secret.company}: ${secret.value}`;
}
