import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';

/** An error of the schema library about one value. */
interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

/** The first error in a part of a configuration, with `prefix` and the name of its key. */
export function configProblem(
  config: unknown,
  errors: Iterable<SchemaError>,
  prefix = '',
): ConfigurationError {
  const all = [...errors];
  const named = (key: string) =>
    all.flatMap((error) => namesIn(error, key).map((name) => `${error.instancePath}/${name}`));
  const [unknown] = named('additionalProperties');
  if (unknown !== undefined) return unknownKey(config, unknown, prefix);
  const [missing] = named('requiredProperties');
  if (missing !== undefined) return problem(config, missing, expectedAt(missing), prefix);
  const [first] = all;
  if (!first) return new ConfigurationError('the configuration file', undefined, 'another shape');
  return problem(config, first.instancePath, expectation(first), prefix);
}

function expectedAt(missing: string): string {
  return /^\/(server|serial|secret)$/.test(missing) ? 'a value, which `agent enrol` writes' : 'a value';
}

/** The error for an unknown key. */
export function unknownKey(config: unknown, pointer: string, prefix = ''): ConfigurationError {
  return problem(config, pointer, 'no such key; it may be misspelt', prefix);
}

/** The value at a JSON pointer without escapes; undefined if there is none. */
export function valueAt(config: unknown, pointer: string): unknown {
  let value = config;
  for (const key of pointer.split('/').slice(1)) {
    if (!isKeyed(value) && !Array.isArray(value)) return undefined;
    value = Object.entries(value).find(([name]) => name === key)?.[1];
  }
  return value;
}

/** An object with names, not a list. */
export function isKeyed(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function problem(config: unknown, pointer: string, expected: string, prefix: string): ConfigurationError {
  const setting = `${prefix}${pointer.slice(1).replaceAll('/', '.')}`;
  const value = valueAt(config, pointer);
  if (value === undefined) return new ConfigurationError(setting, undefined, expected);
  const shown = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return new ConfigurationError(setting, pointer === '/secret' ? '…' : shown, expected);
}

function expectation(error: SchemaError): string {
  const allowed = namesIn(error, 'allowedValues');
  if (allowed.length > 0) return `one of ${allowed.join(', ')}`;
  if (error.keyword === 'pattern' && error.instancePath.endsWith('/line')) return 'a name such as GPIO17';
  return error.message.replace(/^must (be|match) /, '');
}

function namesIn({ params }: SchemaError, key: string): string[] {
  const names: unknown = Object.entries(params).find(([name]) => name === key)?.[1];
  return Array.isArray(names) ? names.map(String) : [];
}
