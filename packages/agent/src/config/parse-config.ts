import { ConfigurationError } from '@visitor-counter/service/settings/configuration-error';
import { type Environment, text } from '@visitor-counter/service/settings/environment';
import { Compile } from 'typebox/compile';
import { parse, YAMLParseError } from 'yaml';
import {
  type AgentConfig,
  type DoorConfig,
  doorKeys,
  doorShapes,
  unitKeys,
  unitShape,
} from './agent-config.ts';
import { type BeamsSource, beamsShapes } from './beams-config.ts';
import { checkConfig } from './check-config.ts';
import { configProblem, isKeyed, unknownKey, valueAt } from './config-problem.ts';

/** Settings that a variable overrides; those of a door where the file has only one. */
const variables = {
  COUNTER_SERVER: 'server',
  COUNTER_SERIAL: 'serial',
  COUNTER_SECRET: 'secret',
  COUNTER_JOURNAL: 'journal',
} as const;

const unit = Compile(unitShape);
const doors = {
  gpio: Compile(doorShapes.gpio),
  simulated: Compile(doorShapes.simulated),
  replay: Compile(doorShapes.replay),
};
const namesOfUnit = Object.keys(unitKeys);
const namesOfDoor = Object.keys(doorKeys(beamsShapes.gpio));

/** The checked configuration from a file's text and the environment. Throws ConfigurationError naming the key. */
export function parseConfig(yaml: string, env: Environment): AgentConfig {
  const file = withOverrides(parseYaml(yaml), env);
  const several = 'doors' in file;
  const known = [...namesOfUnit, ...(several ? ['doors'] : namesOfDoor)];
  const unknown = Object.keys(file).find((key) => !known.includes(key));
  if (unknown !== undefined) throw unknownKey(file, `/${unknown}`);
  const ofUnit = pick(file, namesOfUnit);
  if (!unit.Check(ofUnit)) throw configProblem(ofUnit, unit.Errors(ofUnit));
  const config = { ...ofUnit, doors: several ? parseDoors(file['doors']) : [parseDoor(file, '')] };
  checkConfig(config, several);
  return config;
}

function parseDoors(list: unknown): DoorConfig[] {
  if (!Array.isArray(list) || list.length === 0) {
    throw new ConfigurationError('doors', JSON.stringify(list), 'a list of one door or more');
  }
  return list.map((door: unknown, index) => {
    if (!isKeyed(door)) throw new ConfigurationError(`doors.${index}`, String(door), 'keys and values');
    const unknown = Object.keys(door).find((key) => !namesOfDoor.includes(key));
    if (unknown !== undefined) throw unknownKey(door, `/${unknown}`, `doors.${index}.`);
    return parseDoor(door, `doors.${index}.`);
  });
}

function parseDoor(file: Record<string, unknown>, prefix: string): DoorConfig {
  const door = pick(file, namesOfDoor);
  const source = valueAt(door, '/beams/source');
  if (!isSource(source)) {
    const shown = source === undefined ? undefined : String(source);
    throw new ConfigurationError(`${prefix}beams.source`, shown, 'one of gpio, simulated, replay');
  }
  const shape = doors[source];
  if (!shape.Check(door)) throw configProblem(door, shape.Errors(door), prefix);
  return { ...door, journal: door.journal ?? defaultJournal(door.serial, prefix !== '') };
}

/**
 * The folder of a door's journal if the file does not name one, relative to COUNTER_STATE (which the package sets) or else
 * to the folder of the file.
 */
function defaultJournal(serial: string, several: boolean): string {
  return several ? `journal/${serial}` : 'journal';
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
  if (!isKeyed(file)) {
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
