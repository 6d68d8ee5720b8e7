import { isMapping } from '@visitor-counter/domain/read-value';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { type Environment, text } from '@visitor-counter/service/settings/environment';
import { Compile } from 'typebox/compile';
import { parse, YAMLParseError } from 'yaml';
import {
  type AgentConfig,
  type BeamsSource,
  beamsShapes,
  closedObject,
  type DoorConfig,
  doorKeys,
  unitKeys,
} from './agent-config.ts';
import { checkConfig } from './check-config.ts';

/** Settings that a variable overrides; those of a door where the file has only one. */
const variables = {
  COUNTER_SERVER: 'server',
  COUNTER_SERIAL: 'serial',
  COUNTER_SECRET: 'secret',
  COUNTER_JOURNAL: 'journal',
} as const;

const unit = Compile(closedObject(unitKeys));
const namesOfUnit = Object.keys(unitKeys);
const namesOfDoor = [...Object.keys(doorKeys), 'beams'];

/**
 * The checked configuration from a file's text and the environment. A file before enrolment is checked with samples of what
 * enrolment will write. Throws ConfigurationError naming the key.
 */
export function parseConfig(
  yaml: string,
  env: Environment,
  state: 'complete' | 'before enrolment' = 'complete',
): AgentConfig {
  const parsed = parseYaml(yaml);
  const file = withOverrides(state === 'complete' ? parsed : asEnrolled(parsed), env);
  const several = 'doors' in file;
  const known = [...namesOfUnit, ...(several ? ['doors'] : namesOfDoor)];
  const unknown = Object.keys(file).find((key) => !known.includes(key));
  if (unknown !== undefined) throw unknownKey(file, `/${unknown}`);
  const ofUnit = pick(file, namesOfUnit);
  if (!unit.Check(ofUnit)) throw configProblem(ofUnit, unit.Errors(ofUnit));
  const config = {
    ...ofUnit,
    doors: several ? parseDoors(file['doors']) : [parseDoor(pick(file, namesOfDoor), '')],
  };
  checkConfig(config, several);
  return config;
}

/** A file as enrolment completes it: the server, and the serial and secret of each door. */
function asEnrolled(file: unknown): unknown {
  if (!isMapping(file)) return file;
  const door = (one: Record<string, unknown>) => ({
    ...one,
    serial: one['serial'] ?? 'unknown',
    secret: 'unknown',
  });
  const server = 'mqtts://unknown';
  const { doors } = file;
  if (!Array.isArray(doors)) return { ...door(file), server };
  return { ...file, server, doors: doors.map((one: unknown) => (isMapping(one) ? door(one) : one)) };
}

function parseDoors(list: unknown): DoorConfig[] {
  if (!Array.isArray(list) || list.length === 0) {
    throw new ConfigurationError('doors', JSON.stringify(list), 'a list of one door or more');
  }
  return list.map((door: unknown, index) => {
    if (!isMapping(door)) throw new ConfigurationError(`doors.${index}`, String(door), 'keys and values');
    return parseDoor(door, `doors.${index}.`);
  });
}

function parseDoor(door: Record<string, unknown>, prefix: string): DoorConfig {
  const source = valueAt(door, '/beams/source');
  if (!isSource(source)) {
    const shown = source === undefined ? undefined : String(source);
    const expected = `one of ${Object.keys(beamsShapes).join(', ')}`;
    throw new ConfigurationError(`${prefix}beams.source`, shown, expected);
  }
  /* By the source, so that errors refer to the configured one. */
  const shape = Compile(closedObject({ ...doorKeys, beams: beamsShapes[source] }));
  if (!shape.Check(door)) throw configProblem(door, shape.Errors(door), prefix);
  const journal = prefix === '' ? 'journal' : `journal/${door.serial}`;
  return { ...door, journal: door.journal ?? journal };
}

function isSource(source: unknown): source is BeamsSource {
  return typeof source === 'string' && Object.hasOwn(beamsShapes, source);
}

function pick(file: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(file).filter(([key]) => names.includes(key)));
}

function parseYaml(yaml: string): unknown {
  try {
    return parse(yaml);
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new ConfigurationError('the configuration file', error.message.split('\n')[0], 'YAML');
  }
}

function withOverrides(file: unknown, env: Environment): Record<string, unknown> {
  if (!isMapping(file)) {
    throw new ConfigurationError('the configuration file', String(file), 'keys and values');
  }
  const overrides = Object.entries(variables).flatMap(([variable, key]) => {
    const value = text(env, variable);
    if (value === undefined) return [];
    if ('doors' in file && key !== 'server') {
      const shown = key === 'secret' ? '…' : value;
      throw new ConfigurationError(variable, shown, `no value, since each of the doors has its own ${key}`);
    }
    return [[key, value] as const];
  });
  return { ...file, ...Object.fromEntries(overrides) };
}

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
function valueAt(config: unknown, pointer: string): unknown {
  let value = config;
  for (const key of pointer.split('/').slice(1)) {
    if (!isMapping(value) && !Array.isArray(value)) return undefined;
    value = Object.entries(value).find(([name]) => name === key)?.[1];
  }
  return value;
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
