import type { DoorConfig } from '../config/agent-config.ts';
import type { GpioBeamsConfig } from '../config/beams-config.ts';
import type { Line } from '../detector/edge.ts';
import { GpioError } from '../gpio/gpio-error.ts';
import { openGpioTools } from '../gpio/open-tools.ts';
import type { DoorView } from '../local/door-view.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Tools, permissions, lines and levels of a door; through the running agent where there is one. */
export async function checkBeams(
  { beams }: DoorConfig,
  running: DoorView | undefined,
  env: NodeJS.ProcessEnv,
): Promise<Finding[]> {
  if (running) return checkRunning(running);
  if (beams.source !== 'gpio') return [ok('beams', `${beams.source}, no lines needed`)];
  try {
    const tools = await openGpioTools(env);
    return [ok('gpio tools', `libgpiod ${tools.version}`), ...(await checkLines(beams, tools.levels))];
  } catch (error) {
    return [failed('gpio tools', error)];
  }
}

function checkRunning({ problem, beams }: DoorView): Finding[] {
  if (problem !== undefined) return [fail('lines', problem, 'see the message')];
  return (['a', 'b'] as const).flatMap((line) => {
    const beam = beams[line];
    if (!beam) return [];
    if (beam.state === 'blocked') {
      return [fail(`beam ${line}`, 'blocked for over 30 s', alignment)];
    }
    return beam.broken ? [warn(`beam ${line}`, 'broken', alignment)] : [ok(`beam ${line}`, 'clear')];
  });
}

const alignment =
  'stand clear; align the beam until `agent watch` shows it clear; check its cable and supply';

async function checkLines(
  { a, b, bias = 'pull-up' }: GpioBeamsConfig,
  read: (lines: readonly string[], bias: NonNullable<GpioBeamsConfig['bias']>) => Promise<boolean[]>,
): Promise<Finding[]> {
  const lines = b ? [a, b] : [a];
  try {
    const levels = await read(
      lines.map(({ line }) => line),
      bias,
    );
    return lines.map(({ line: name, activeLow = false }, index) => {
      const line: Line = index === 0 ? 'a' : 'b';
      const high = levels[index] === true;
      const detail = `${name} is ${high ? 'high' : 'low'}: ${high !== activeLow ? 'broken' : 'clear'}`;
      const advice = `${alignment}; with nobody there and the beam aligned, run \`agent learn\``;
      return high === activeLow ? ok(`beam ${line}`, detail) : warn(`beam ${line}`, detail, advice);
    });
  } catch (error) {
    return [failed('lines', error)];
  }
}

function failed(what: string, error: unknown): Finding {
  if (!(error instanceof GpioError)) throw error;
  const [, said = error.message, advice = 'see the message'] = /^(.*?) \((.*)\)$/.exec(error.message) ?? [];
  return fail(what, said, advice);
}
