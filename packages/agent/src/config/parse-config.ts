import { isTimeZone } from '@visitor-counter/domain/time-zone';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { type Environment, text } from '@visitor-counter/service/environment';
import { Compile } from 'typebox/compile';
import { parse, YAMLParseError } from 'yaml';
import { type AgentConfigFile, agentConfigShapes } from './agent-config.ts';
import { configProblem, valueAt } from './config-problem.ts';

/** Settings that a variable overrides. */
const variables = {
  COUNTER_SERVER: 'server',
  COUNTER_SERIAL: 'serial',
  COUNTER_SECRET: 'secret',
  COUNTER_JOURNAL: 'journal',
} as const;

const shapes = {
  simulated: Compile(agentConfigShapes.simulated),
  replay: Compile(agentConfigShapes.replay),
  gpio: Compile(agentConfigShapes.gpio),
};

/** The checked configuration from a file's text and the environment. Throws ConfigurationError naming the key. */
export function parseConfig(yaml: string, env: Environment): AgentConfigFile {
  const config = withOverrides(parseYaml(yaml), env);
  const source = valueAt(config, '/beams/source');
  if (source !== 'simulated' && source !== 'replay' && source !== 'gpio') {
    const shown = source === undefined ? undefined : String(source);
    throw new ConfigurationError('beams.source', shown, 'one of gpio, simulated, replay');
  }
  const shape = shapes[source];
  if (!shape.Check(config)) throw configProblem(config, shape.Errors(config));
  checkServer(config.server);
  checkTime(config);
  checkLines(config);
  return config;
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
  if (typeof file !== 'object' || file === null) {
    throw new ConfigurationError('the configuration file', String(file), 'keys and values');
  }
  const overrides = Object.entries(variables).flatMap(([variable, key]) => {
    const value = text(env, variable);
    return value === undefined ? [] : [[key, value] as const];
  });
  return { ...file, ...Object.fromEntries(overrides) };
}

function checkServer(server: string): void {
  const url = URL.parse(server);
  if ((url?.protocol === 'mqtt:' || url?.protocol === 'mqtts:') && url.hostname !== '' && !url.username)
    return;
  throw new ConfigurationError('server', server, 'mqtt://host:port or mqtts://host:port');
}

function checkTime({ beams }: AgentConfigFile): void {
  if (beams.source !== 'simulated') return;
  if (!isTimeZone(beams.timeZone)) {
    throw new ConfigurationError('beams.timeZone', beams.timeZone, 'an IANA time zone such as Europe/Berlin');
  }
  const date = new Date(`${beams.startsOn}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== beams.startsOn) {
    throw new ConfigurationError('beams.startsOn', beams.startsOn, 'a date YYYY-MM-DD that exists');
  }
}

function checkLines({ beams }: AgentConfigFile): void {
  if (beams.source !== 'gpio' || beams.a.line !== beams.b.line) return;
  throw new ConfigurationError('beams.b.line', beams.b.line, 'another line than that of beams.a');
}
