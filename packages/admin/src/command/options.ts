import { expectation } from '@visitor-counter/database/configuration/read-entry';
import {
  identifier,
  name,
  parseDuration,
  parseExpiry,
  secret,
  serial,
} from '@visitor-counter/database/configuration/values';
import { type CredentialKind, credentialKinds } from '@visitor-counter/database/credentials/credentials';
import { parseInstant } from '@visitor-counter/domain/time';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { textLike, wholeNumber } from '@visitor-counter/service/settings/kinds';
import type { Kind } from '@visitor-counter/service/settings/setting';
import { journalIdPattern } from '@visitor-counter/wire/crossings-message';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { type ArgumentSpec, flag, type OptionSpec } from './command.ts';

/** A value as a topology file has it. */
export function kindOf(schema: TSchema): Kind<string> {
  return textLike(expectation(schema), (text) => Check(schema, text));
}

export const nameKind = kindOf(name);
export const serialKind = kindOf(serial);
export const labelKind = kindOf(identifier);

export const company: OptionSpec<string> = {
  value: '<name>',
  description: 'the company, by its name',
  kind: nameKind,
};

/** Selects devices by where they are now. */
export const deviceFilter = {
  company,
  store: { value: '<sid>', description: 'the devices of a store, by its sid', kind: labelKind },
  group: {
    value: '<name>',
    description: 'the devices of the stores in a shop group, by its name',
    kind: nameKind,
  },
};

export const journalId = textLike('the id of a journal, as heartbeats report it', (text) => {
  return new RegExp(journalIdPattern).test(text);
});

/** Limits something to a store. */
export const limitedTo: OptionSpec<string> = {
  value: '<sid>',
  description: 'limit it to this store, by its sid; may be given several times',
  kind: labelKind,
};

/** Switch something off, or on again. */
export function switches(what: string) {
  return { off: flag(`switch the ${what} off`, 'on'), on: flag(`switch the ${what} on again`) };
}

/** The value that the options of `switches` choose; undefined without them. */
export function enabledBy(on: true | undefined, off: true | undefined): boolean | undefined {
  return on || off ? on === true : undefined;
}

export const yes = flag('do not ask for confirmation');

export const serialArgument: ArgumentSpec<string> = {
  name: '<serial>',
  description: 'the serial number of the device',
  kind: serialKind,
};

export const device: OptionSpec<string> = {
  value: '<serial>',
  description: 'the device, by its serial number',
  kind: serialKind,
};

export const kind: OptionSpec<CredentialKind> = {
  value: '<kind>',
  description: 'what the credential is for',
  choices: credentialKinds,
};

export const label: OptionSpec<string> = {
  value: '<label>',
  description: 'the label, unique for its company and kind',
  kind: labelKind,
};

/** Throws a ConfigurationError that does not contain the value. */
export function checkSecret(option: string, value: string | undefined): void {
  if (value === undefined || Check(secret, value)) return;
  throw new ConfigurationError(option, '…', expectation(secret));
}

/** When a credential expires (epoch ms; null for never): `30d`, `12h`, `8w` from now, a date, an instant. */
export const expiry: Kind<number | null> = {
  expected: 'never, or a time in the future: 30d, 12h, 8w, 2027-01-31 or an instant',
  parse: (text) => {
    const now = Date.now();
    const duration = parseDuration(text);
    const expires = duration === undefined ? parseExpiry(text) : now + duration;
    return expires === undefined || (expires !== null && expires <= now) ? undefined : expires;
  },
};

/** Until when a unit can connect to receive an order (epoch ms). */
export const within = {
  value: '<time>',
  description: 'time limit for the unit to connect',
  fallback: '24h',
  kind: {
    expected: 'a time in the future: 30d, 12h, 8w or an instant',
    parse: (text: string) => expiry.parse(text) ?? undefined,
  },
};

const instantKind: Kind<number> = {
  expected: 'an instant from 1970 on, such as 2026-11-20T10:00:00Z',
  parse: (text) => {
    const at = parseInstant(text);
    return at !== undefined && at >= 0 ? at : undefined;
  },
};

/** An instant as epoch ms. */
export function instant(description: string): OptionSpec<number> {
  return { value: '<instant>', description, kind: instantKind };
}

/** How many entries of a list are printed at most. */
export function limit(largest: number) {
  return {
    value: '<n>',
    description: `how many at most, 1 to ${largest}`,
    fallback: '50',
    kind: wholeNumber(1, largest),
  };
}

/** The first entries of a list that was read with one more than `most`, and where the next page begins. */
export function pageOf<Item extends { readonly id: string | number }>(found: readonly Item[], most: number) {
  const items = found.slice(0, most);
  return { items, next: found.length > most ? String(items.at(-1)?.id) : null };
}
