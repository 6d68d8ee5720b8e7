import { isSerial } from '@visitor-counter/domain/serial';
import { parseInstant } from '@visitor-counter/domain/time';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { InvalidArgumentError } from 'commander';
import { Compile } from 'typebox/compile';
import { expectation } from '../file/entry.ts';
import { credentialKinds, identifier, name, parseExpiry, secret, serial } from '../file/topology.ts';
import { type ArgumentSpec, flag, type OptionSpec } from './command.ts';

const isName = Compile(name);
const isLabel = Compile(identifier);
const isSecret = Compile(secret);

export const company: OptionSpec<string> = {
  value: '<name>',
  description: 'the company, by its name',
  parse: (text) => accept(isName.Check(text), text, 'a name of a company'),
};

/** Selects devices by where they are now. */
export const deviceFilter = {
  company,
  store: {
    value: '<sid>',
    description: 'the devices of a store, by its sid',
    parse: parseLabel,
  },
  group: {
    value: '<name>',
    description: 'the devices of the stores in a shop group, by its name',
    parse: (text: string) => accept(isName.Check(text), text, 'a name of a shop group'),
  },
};

export const yes = flag('do not ask for confirmation');

export const serialArgument: ArgumentSpec<string> = {
  name: '<serial>',
  description: 'the serial number of the device',
};

/** The serial number of a device that may not exist yet. */
export const newSerial: ArgumentSpec<string> = {
  name: '<serial>',
  description: 'the serial number of the device',
  parse: (text) => accept(isSerial(text), text, expectation(serial)),
};

export const deviceName: OptionSpec<string> = {
  value: '<name>',
  description: 'its name; the serial number when left out',
  parse: (text) => accept(isName.Check(text), text, expectation(name)),
};

export const device: OptionSpec<string> = {
  value: '<serial>',
  description: 'the device, by its serial number',
  parse: parseSerial,
};

export function parseSerial(text: string): string {
  return accept(isSerial(text), text, 'a serial number');
}

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

export function parseLabel(text: string): string {
  return accept(isLabel.Check(text), text, expectation(identifier));
}

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

/** Throws a ConfigurationError that does not contain the value. */
export function checkSecret(option: string, value: string | undefined): void {
  if (value === undefined || isSecret.Check(value)) return;
  throw new ConfigurationError(option, '…', expectation(secret));
}

const units: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** When a credential expires (epoch ms; null for never): `30d`, `12h`, `8w` from `now`, a date, an instant. */
export function parseExpires(text: string): number | null {
  const now = Date.now();
  const [, count, unit] = /^(\d{1,4})([hdw])$/.exec(text) ?? [];
  const duration = Number(count) * (units[unit ?? ''] ?? Number.NaN);
  const expires = Number.isNaN(duration) ? parseExpiry(text) : now + duration;
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
    ...{ value: '<instant>', description },
    parse: (text) => {
      const at = parseInstant(text);
      if (at !== undefined) return at;
      throw new InvalidArgumentError('Expected an instant such as 2026-11-20T10:00:00Z.');
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

export function accept(accepted: boolean, text: string, expected: string): string {
  if (!accepted) throw new InvalidArgumentError(`Expected ${expected}.`);
  return text;
}
