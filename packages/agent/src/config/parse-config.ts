import { isMapping } from '@visitor-counter/domain/parsed-json';
import { reasonOf } from '@visitor-counter/service/errors';
import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { Compile } from 'typebox/compile';
import { parse } from 'yaml';
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

type Mapping = Readonly<Record<string, unknown>>;

const unit = Compile(closedObject(unitKeys));

/**
 * The checked configuration from a file's text. A file before enrolment is checked with samples of what enrolment will write.
 * Throws ConfigurationError naming the key.
 */
export function parseConfig(yaml: string, state: 'complete' | 'before enrolment' = 'complete'): AgentConfig {
  const isNew = state === 'before enrolment';
  const file = parseYaml(yaml);
  const several = 'doors' in file;
  const ofDoor = several ? ['doors'] : [...Object.keys(doorKeys), 'beams'];
  const unknown = Object.keys(file).find((key) => !(key in unitKeys) && !ofDoor.includes(key));
  if (unknown !== undefined) throw unknownKey(file, `/${unknown}`);
  const ofUnit = { ...part(file, (key) => key in unitKeys), ...(isNew && { server: 'mqtts://unknown' }) };
  if (!unit.Check(ofUnit)) throw configProblem(ofUnit, unit.Errors(ofUnit));
  const list = several ? file['doors'] : [part(file, (key) => !(key in unitKeys))];
  if (!Array.isArray(list) || list.length === 0)
    throw new ConfigurationError('doors', JSON.stringify(list), 'a list of one door or more');
  const doors = list.map((door: unknown, index) => {
    if (!isMapping(door)) throw new ConfigurationError(`doors.${index}`, String(door), 'keys and values');
    const sample = { serial: door['serial'] ?? 'unknown', secret: 'unknown' };
    const whole = isNew ? { ...door, ...sample } : door;
    return parseDoor(whole, several ? `doors.${index}.` : '');
  });
  const config = { ...ofUnit, doors };
  checkConfig(config, several);
  return config;
}

function parseDoor(door: Mapping, prefix: string): DoorConfig {
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

function part(file: Mapping, belongs: (key: string) => boolean): Mapping {
  return Object.fromEntries(Object.entries(file).filter(([key]) => belongs(key)));
}

function parseYaml(yaml: string): Mapping {
  try {
    const file: unknown = parse(yaml);
    /* Throws for an alias that contains itself. */
    JSON.stringify(file);
    if (isMapping(file)) return file;
    throw new ConfigurationError('the configuration file', String(file), 'keys and values');
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw new ConfigurationError('the configuration file', reasonOf(error).split('\n')[0], 'YAML');
  }
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
  if (missing !== undefined) {
    const isEnrolled = /^\/(server|serial|secret)$/.test(missing);
    const expected = isEnrolled ? 'a value, which `agent enrol` writes' : 'a value';
    return problem(config, missing, expected, prefix);
  }
  const [first] = all;
  if (!first) return new ConfigurationError('the configuration file', undefined, 'another shape');
  return problem(config, first.instancePath, expectation(first), prefix);
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
