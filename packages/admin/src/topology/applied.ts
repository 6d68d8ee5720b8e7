import type { Saved } from '@visitor-counter/database/configuration/save-row';
import type { Output } from '../command/command.ts';
import { type Entry, kindNames } from '../file/lists.ts';

/** What was saved. */
export interface About extends Pick<Entry, 'kind' | 'key'> {
  readonly company: string;
}

/** What was saved, as `--json` prints it. `unchanged`: how many entries changed nothing. */
export type Applied = ReturnType<typeof appliedOf>;
type Change = Applied['changes'][number];
type NewSecret = Applied['secrets'][number];

/** The output of a command that has saved one thing. */
export function savedOutput(about: About, saved: Saved): Output {
  return appliedOutput(appliedOf([[about, saved]]));
}

export function appliedOf(all: readonly (readonly [About, Saved])[]) {
  const changes = all.flatMap(([about, saved]) => changeOf(about, saved) ?? []);
  const secrets = all.flatMap(([about, saved]) => secretOf(about, saved) ?? []);
  return { changes, secrets, unchanged: all.length - changes.length };
}

/** What differs; the fields of a created entry are left out. */
function changeOf(about: About, { action, fields, crossings }: Saved) {
  if (action === 'unchanged') return undefined;
  return {
    action,
    ...about,
    ...(action !== 'created' && { fields }),
    ...(crossings !== undefined && { crossings }),
  };
}

/** A secret that was generated, shown only once: of a device, a credential or a webhook. One that was given is not repeated. */
function secretOf({ kind, key, company }: About, { secret }: Saved) {
  if (secret === undefined) return undefined;
  if (kind === 'device') return { kind, company, serial: key, secret };
  if (kind === 'alertTarget') return { kind, company, label: key, secret };
  const [credentialKind = '', ...label] = key.split('/');
  return { kind, company, credentialKind, label: label.join('/'), value: secret };
}

/** The output of a command that has saved something. */
export function appliedOutput(applied: Applied): Output {
  return { json: applied, text: appliedText(applied) };
}

function appliedText({ changes, secrets, unchanged }: Applied): string {
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  const counts = `${count('created')} created, ${count('changed')} changed, ${count('moved')} moved, ${unchanged} unchanged`;
  const newSecrets =
    secrets.length === 0 ? [] : ['', 'New secrets, shown only this once:', ...secrets.map(secretText)];
  return [...changes.map(changeText), counts, ...newSecrets].join('\n');
}

function changeText({ action, kind, key, company, fields, crossings }: Change): string {
  const owner = kind === 'company' ? '' : ` of ${company}`;
  const what = action === 'changed' && fields ? `: ${fields.join(', ')}` : '';
  const along = crossings ? `, ${crossings} crossings with it` : '';
  return `${action} ${kindNames[kind]} ${key}${owner}${what}${along}`;
}

function secretText(given: NewSecret): string {
  const { company } = given;
  if (given.kind === 'device') return `  device ${given.serial} of ${company}: ${given.secret}`;
  if (given.kind === 'alertTarget') return `  alert target ${given.label} of ${company}: ${given.secret}`;
  return `  ${given.credentialKind} credential ${given.label} of ${company}: ${given.value}`;
}
