import { ConfigurationError } from './configuration-error.ts';

/** Environment variables as the operator gave them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable's text; an empty one counts as not set. */
export function text(env: Environment, name: string): string | undefined {
  return env[name] || undefined;
}

/** A TCP port, 0 to 65535, where 0 asks for any free one; undefined when it is not set. */
export function port(env: Environment, name: string): number | undefined {
  return wholeNumber(env, name, { min: 0, max: 65_535, expected: 'a port, 0 to 65535' });
}

/** A host name or address to listen on. */
export function host(env: Environment, name: string, fallback: string): string {
  const value = text(env, name) ?? fallback;
  if (!/^[A-Za-z0-9_.:%-]+$/.test(value)) {
    throw new ConfigurationError(name, value, 'a host name or address, such as 127.0.0.1');
  }
  return value;
}

/** The path of a folder; undefined when it is not set. */
export function folder(env: Environment, name: string): string | undefined {
  const value = text(env, name);
  if (value?.trim() === '') throw new ConfigurationError(name, value, 'the path of a folder');
  return value;
}

/** A PostgreSQL connection URL. The error keeps the value to itself: it may hold a password. */
export function databaseUrl(env: Environment, name = 'DATABASE_URL'): string | undefined {
  const value = text(env, name);
  if (value === undefined) return undefined;
  const url = URL.parse(value);
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:') {
    throw new ConfigurationError(name, '…', 'a URL such as postgres://user:password@host:5432/database');
  }
  return value;
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly expected?: string;
}

/** A whole number in a range, written in decimal digits and nothing else; undefined when it is not set. */
export function wholeNumber(env: Environment, name: string, range: Range): number | undefined {
  const value = text(env, name);
  if (value === undefined) return undefined;
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number >= range.min && number <= range.max)) {
    const expected = range.expected ?? `a whole number, ${range.min} to ${range.max}`;
    throw new ConfigurationError(name, value, expected);
  }
  return number;
}

/** One of a few words. */
export function oneOf<const Word extends string>(
  env: Environment,
  name: string,
  words: readonly Word[],
  fallback: Word,
): Word {
  const value = text(env, name);
  if (value === undefined) return fallback;
  const word = words.find((candidate) => candidate === value);
  if (word === undefined) throw new ConfigurationError(name, value, `one of ${words.join(', ')}`);
  return word;
}
