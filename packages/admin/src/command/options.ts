import { expectation } from '@visitor-counter/database/configuration/read-entry';
import { identifier, name, parseDuration, serial } from '@visitor-counter/database/configuration/values';
import { type CredentialKind, credentialKinds } from '@visitor-counter/database/credentials/credentials';
import { parseInstant, parseUtcDate } from '@visitor-counter/domain/time';
import { oneOf, textLike, wholeNumber } from '@visitor-counter/service/settings/kinds';
import type { Kind } from '@visitor-counter/service/settings/setting';
import { journalIdPattern } from '@visitor-counter/wire/crossings-message';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import { type ArgumentSpec, flag, type OptionSpec } from './command.ts';

/** A value as a topology file has it. */
function kindOf(schema: TSchema): Kind<string> {
  return textLike(expectation(schema), (text) => Check(schema, text));
}

export const nameKind = kindOf(name);
const serialKind = kindOf(serial);
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

export const credentialKind: OptionSpec<CredentialKind> = {
  value: '<kind>',
  description: `what the credential is for: ${credentialKinds.join(', ')}`,
  kind: oneOf(...credentialKinds),
};

export const label: OptionSpec<string> = {
  value: '<label>',
  description: 'the label, unique for its company and kind',
  kind: labelKind,
};

/**
 * A time (epoch ms) after `from` and not after `until`, in ms from now: an instant, a date (UTC), or a duration, which is ago if
 * `from` is in the past.
 */
export function time(expected: string, from: number, until = Number.POSITIVE_INFINITY): Kind<number> {
  return {
    expected,
    parse: (text) => {
      const now = Date.now();
      const duration = parseDuration(text);
      const at =
        duration === undefined
          ? (parseInstant(text) ?? parseUtcDate(text) ?? Number.NaN)
          : now + (from < 0 ? -duration : duration);
      return at > now + from && at <= now + until ? at : undefined;
    },
  };
}

/** Until when a unit can connect to receive an order (epoch ms). */
export const within = {
  value: '<time>',
  description: 'time limit for the unit to connect',
  fallback: '24h',
  kind: time('a time in the future: 30d, 12h, 8w, 2027-01-31 or an instant', 0),
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
