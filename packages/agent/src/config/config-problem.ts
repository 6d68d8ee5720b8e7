import { ConfigurationError } from '@visitor-counter/service/configuration-error';

/** What the schema library says of one value. */
interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

/** The first thing that is wrong with a configuration, by the name of its key. */
export function configProblem(config: unknown, errors: Iterable<SchemaError>): ConfigurationError {
  const all = [...errors];
  const unknown = all.flatMap((error) =>
    namesIn(error, 'additionalProperties').map((key) => pathTo(error, key)),
  );
  if (unknown[0] !== undefined) return problem(config, unknown[0], 'no such key; it may be misspelt');
  const missing = all.flatMap((error) =>
    namesIn(error, 'requiredProperties').map((key) => pathTo(error, key)),
  );
  if (missing[0] !== undefined) return problem(config, missing[0], 'a value');
  const [first] = all;
  if (!first) return new ConfigurationError('the configuration file', undefined, 'another shape');
  return problem(config, first.instancePath, first.message.replace(/^must (be|match) /, ''));
}

/** The value at a JSON pointer without escapes; undefined where there is none. */
export function valueAt(config: unknown, pointer: string): unknown {
  let value = config;
  for (const key of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.entries(value).find(([name]) => name === key)?.[1];
  }
  return value;
}

function problem(config: unknown, pointer: string, expected: string): ConfigurationError {
  const setting = pointer.slice(1).replaceAll('/', '.');
  const value = valueAt(config, pointer);
  const secret = setting === 'secret' && value !== undefined;
  const shown = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return new ConfigurationError(setting, value === undefined ? undefined : secret ? '…' : shown, expected);
}

function namesIn({ params }: SchemaError, key: string): string[] {
  const names: unknown = Object.entries(params).find(([name]) => name === key)?.[1];
  return Array.isArray(names) ? names.map(String) : [];
}

function pathTo({ instancePath }: SchemaError, key: string): string {
  return `${instancePath}/${key}`;
}
