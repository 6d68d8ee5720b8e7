import { isSerial } from '@visitor-counter/domain/serial';
import { parseInstant } from '@visitor-counter/domain/time';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { Argument, InvalidArgumentError, Option } from 'commander';
import { Compile } from 'typebox/compile';
import { expectation } from '../file/entry.ts';
import { credentialKinds, identifier, name, parseExpiry, secret } from '../file/topology.ts';

const isName = Compile(name);
const isLabel = Compile(identifier);
const isSecret = Compile(secret);

export const companyOption = () =>
  new Option('--company <name>', 'the company, by its name').argParser((text) =>
    accept(isName.Check(text), text, 'a name of a company'),
  );

/** Devices that are in this store now. */
export const inStoreOption = () =>
  new Option('--store <sid>', 'the devices of a store, by its sid').argParser((text) =>
    accept(isLabel.Check(text), text, expectation(identifier)),
  );

export const groupOption = () =>
  new Option('--group <name>', 'the devices of the stores in a shop group, by its name').argParser((text) =>
    accept(isName.Check(text), text, 'a name of a shop group'),
  );

export const yesOption = () => new Option('--yes', 'do not ask for confirmation');

export const deviceOption = () =>
  new Option('--device <serial>', 'the device, by its serial number').argParser((text) =>
    accept(isSerial(text), text, 'a serial number'),
  );

/** The largest id that PostgreSQL's bigint holds. */
const maxId = 9_223_372_036_854_775_807n;

export function parseId(text: string): string {
  return accept(/^\d{1,19}$/.test(text) && BigInt(text) <= maxId, text, 'the number of a rejected message');
}

export const codeArgument = () =>
  new Argument('<id>', 'the number of an enrolment code, as `admin enrolment list` shows it').argParser(
    (text) => Number(accept(/^\d{1,9}$/.test(text), text, 'the number of a code')),
  );

export const kindOption = () =>
  new Option('--kind <kind>', 'what the credential is for').choices([...credentialKinds]);

export const labelOption = () =>
  new Option('--label <label>', 'the label, unique for its company and kind').argParser((text) =>
    accept(isLabel.Check(text), text, expectation(identifier)),
  );

export const storeOption = () =>
  new Option('--store <sid>', 'limit it to this store, by its sid; may be given several times').argParser(
    (sid: string, before: readonly string[] | undefined) => [
      ...(before ?? []),
      accept(isLabel.Check(sid), sid, expectation(identifier)),
    ],
  );

/** Until when a unit can connect to receive an order (epoch ms). */
export const withinOption = () =>
  new Option('--within <time>', 'time limit for the unit to connect')
    .argParser(parseWithin)
    .default(parseExpires('24h'), '24h');

export const jsonOption = () => new Option('--json', 'print one JSON document');

/** Throws a ConfigurationError that does not contain the value. */
export function checkSecret(option: string, value: string | undefined): void {
  if (value === undefined || isSecret.Check(value)) return;
  throw new ConfigurationError(option, '…', expectation(secret));
}

const units: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** When a credential expires (epoch ms; null for never): `30d`, `12h`, `8w` from `now`, a date, an instant. */
export function parseExpires(text: string, now = Date.now()): number | null {
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

/** An instant as epoch ms. Throws a ConfigurationError that names the option. */
export function parseInstantOption(option: string, text: string | undefined): number {
  const at = text === undefined ? undefined : parseInstant(text);
  if (at !== undefined) return at;
  throw new ConfigurationError(option, text, 'an instant such as 2026-11-20T10:00:00Z');
}

/** Makes a parser of whole numbers from 1 to `largest`. */
export function parseWholeNumber(largest: number): (text: string) => number {
  return (text) => {
    const number = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
    if (number >= 1 && number <= largest) return number;
    throw new InvalidArgumentError(`Expected a whole number, 1 to ${largest}.`);
  };
}

function parseWithin(text: string): number {
  const end = parseExpires(text);
  if (end === null)
    throw new InvalidArgumentError('Expected a time in the future: 30d, 12h, 8w or an instant.');
  return end;
}

function accept(accepted: boolean, text: string, expected: string): string {
  if (!accepted) throw new InvalidArgumentError(`Expected ${expected}.`);
  return text;
}
