import { parseInstant } from '@visitor-counter/domain/time';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { InvalidArgumentError } from 'commander';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { expectation } from '../file/entry.ts';
import { credentialKinds } from '../file/topology.ts';
import { identifier, name, parseDuration, parseExpiry, secret, serial } from '../file/values.ts';
import { type ArgumentSpec, flag, type OptionSpec } from './command.ts';

/** Makes a parser of a value of a topology file; the schema's description says what is accepted. */
export function valueParser(schema: TSchema): (text: string) => string {
  const compiled = Compile(schema);
  return (text) => accept(compiled.Check(text), text, expectation(schema));
}

export const parseSerial = valueParser(serial);
export const parseLabel = valueParser(identifier);

export const company: OptionSpec<string> = {
  value: '<name>',
  description: 'the company, by its name',
  parse: valueParser(name),
};

/** Selects devices by where they are now. */
export const deviceFilter = {
  company,
  store: { value: '<sid>', description: 'the devices of a store, by its sid', parse: parseLabel },
  group: {
    value: '<name>',
    description: 'the devices of the stores in a shop group, by its name',
    parse: valueParser(name),
  },
};

export const yes = flag('do not ask for confirmation');

export const serialArgument: ArgumentSpec<string> = {
  name: '<serial>',
  description: 'the serial number of the device',
  parse: parseSerial,
};

export const device: OptionSpec<string> = {
  value: '<serial>',
  description: 'the device, by its serial number',
  parse: parseSerial,
};

export const kind: OptionSpec<(typeof credentialKinds)[number]> = {
  value: '<kind>',
  description: 'what the credential is for',
  choices: credentialKinds,
};

export const label: OptionSpec<string> = {
  value: '<label>',
  description: 'the label, unique for its company and kind',
  parse: parseLabel,
};

/** The largest id that PostgreSQL's bigint holds. */
const maxId = 9_223_372_036_854_775_807n;

/** The number of a rejected message. */
export function parseId(text: string): string {
  return accept(/^\d{1,19}$/.test(text) && BigInt(text) <= maxId, text, 'the number of a rejected message');
}

/** Until when a unit can connect to receive an order (epoch ms). */
export const within = {
  value: '<time>',
  description: 'time limit for the unit to connect',
  fallback: '24h',
  parse: (text: string): number => {
    const end = parseExpires(text);
    if (end !== null) return end;
    throw new InvalidArgumentError('Expected a time in the future: 30d, 12h, 8w or an instant.');
  },
};

const isSecret = Compile(secret);

/** Throws a ConfigurationError that does not contain the value. */
export function checkSecret(option: string, value: string | undefined): void {
  if (value === undefined || isSecret.Check(value)) return;
  throw new ConfigurationError(option, '…', expectation(secret));
}

/** When a credential expires (epoch ms; null for never): `30d`, `12h`, `8w` from now, a date, an instant. */
export function parseExpires(text: string): number | null {
  const now = Date.now();
  const duration = parseDuration(text);
  const expires = duration === undefined ? parseExpiry(text) : now + duration;
  if (expires === undefined || (expires !== null && expires <= now)) {
    throw new InvalidArgumentError(
      'Expected never, or a time in the future: 30d, 12h, 8w, 2027-01-31 or an instant.',
    );
  }
  return expires;
}

/** An instant as epoch ms. */
export function instant(description: string): OptionSpec<number> {
  return {
    value: '<instant>',
    description,
    parse: (text) => {
      const at = parseInstant(text);
      if (at !== undefined && at >= 0) return at;
      throw new InvalidArgumentError('Expected an instant from 1970 on, such as 2026-11-20T10:00:00Z.');
    },
  };
}

/** Makes a parser of whole numbers from 1 to `largest`. */
export function parseWholeNumber(largest: number): (text: string) => number {
  return (text) => {
    const number = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
    if (number >= 1 && number <= largest) return number;
    throw new InvalidArgumentError(`Expected a whole number, 1 to ${largest}.`);
  };
}

/** How many entries of a list are printed at most. */
export function limit(largest: number) {
  return {
    value: '<n>',
    description: `how many at most, 1 to ${largest}`,
    fallback: '50',
    parse: parseWholeNumber(largest),
  };
}

/** The first entries of a list that was read with one more than `most`, and where the next page begins. */
export function pageOf<Item extends { readonly id: string }>(found: readonly Item[], most: number) {
  const items = found.slice(0, most);
  return { items, next: found.length > most ? (items.at(-1)?.id ?? null) : null };
}

export function accept(accepted: boolean, text: string, expected: string): string {
  if (!accepted) throw new InvalidArgumentError(`Expected ${expected}.`);
  return text;
}
