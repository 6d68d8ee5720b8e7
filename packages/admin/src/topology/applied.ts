import type { Saved } from '@visitor-counter/database/configuration/save-row';
import type { Output } from '../command/command.ts';
import { type Entry, kindNames } from '../file/lists.ts';

/** What was saved. */
export interface About extends Pick<Entry, 'kind' | 'key'> {
  readonly company: string;
}

/** One thing that was saved and differs, as `--json` prints it. */
interface Change extends About {
  readonly action: 'created' | 'changed' | 'moved';
  /** The changed properties, by their names in the file; left out for created entries. */
  readonly fields?: readonly string[];
  /** How many stored crossings were moved with a device. */
  readonly crossings?: number;
}

/** A secret that was generated, shown only once: of a device, a credential or a webhook. */
interface NewSecret {
  readonly kind: Change['kind'];
  readonly company: string;
  readonly [name: string]: string;
}

/** What was saved, as `--json` prints it. */
export interface Applied {
  readonly changes: readonly Change[];
  /** Secrets that were given are not repeated. */
  readonly secrets: readonly NewSecret[];
  /** How many entries changed nothing. */
  readonly unchanged: number;
}

/** The output of a command that has saved one thing. */
export function savedOutput(about: About, saved: Saved): Output {
  return appliedOutput(appliedOf([[about, saved]]));
}

export function appliedOf(all: readonly (readonly [About, Saved])[]): Applied {
  const changes = all.flatMap(([about, saved]) => changeOf(about, saved) ?? []);
  const secrets = all.flatMap(([about, saved]) => secretOf(about, saved) ?? []);
  return { changes, secrets, unchanged: all.length - changes.length };
}

function changeOf(about: About, { action, fields, crossings }: Saved): Change | undefined {
  if (action === 'unchanged') return undefined;
  return {
    action,
    ...about,
    ...(action !== 'created' && { fields }),
    ...(crossings !== undefined && { crossings }),
  };
}

function secretOf({ kind, key, company }: About, { secret }: Saved): NewSecret | undefined {
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

function secretText({ kind, company, serial, credentialKind, label, secret, value }: NewSecret): string {
  if (kind === 'device') return `  device ${serial} of ${company}: ${secret}`;
  if (kind === 'alertTarget') return `  alert target ${label} of ${company}: ${secret}`;
  return `  ${credentialKind} credential ${label} of ${company}: ${value}`;
}
