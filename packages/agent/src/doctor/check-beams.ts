import type { Finding } from '@visitor-counter/wire/diagnosis-message';
import type { DoorConfig, GpioBeamsConfig } from '../config/agent-config.ts';
import { readLevels, requireLibgpiod } from '../gpio/libgpiod.ts';
import { GpioError } from '../gpio/run-tool.ts';
import type { DoorView } from '../local/door-view.ts';
import { fail, ok, warn } from './finding.ts';

/** Tools, permissions, lines and levels of a door; through the running agent where there is one. */
export async function checkBeams({ beams }: DoorConfig, running: DoorView | undefined): Promise<Finding[]> {
  if (running) return checkRunning(running);
  if (beams.source !== 'gpio') return [ok('beams', `${beams.source}, no lines needed`)];
  try {
    const version = await requireLibgpiod();
    return [ok('gpio tools', `libgpiod ${version}`), ...(await checkLines(beams))];
  } catch (error) {
    return [failed('gpio tools', error)];
  }
}

function checkRunning(view: DoorView): Finding[] {
  const { problem, beams } = view;
  if (problem !== undefined) return [fail('lines', problem, 'see the message')];
  return [...checkLevels(beams), ...checkFlicker(view), ...checkDirection(view)];
}

function checkFlicker({ flickering }: DoorView): Finding[] {
  if (!flickering) return [];
  const beam = flickering === 'door' ? 'both beams break' : `beam ${flickering} breaks`;
  const advice =
    'keep sunlight and lamps off the receivers, and whatever moves out of the beams: see `agent watch`';
  return [fail('flicker', `${beam} far more often than people can pass: counts are wrong`, advice)];
}

/** Swapped beams look healthy: only the numbers show them. */
function checkDirection({ directionDoubtful, in: entries, out }: DoorView): Finding[] {
  if (!directionDoubtful) return [];
  const detail = `more people went out (${out}) than in (${entries}) since the start`;
  return [warn('direction', detail, 'if people came in, the beams are swapped: `agent learn`')];
}

function checkLevels(beams: DoorView['beams']): Finding[] {
  const present = (['a', 'b'] as const).flatMap((line) => (beams[line] ? [{ line, ...beams[line] }] : []));
  const advice = adviceFor(present.map(({ broken }) => broken === true));
  return present.map(({ line, state, broken }) => {
    if (state === 'blocked') return fail(`beam ${line}`, 'blocked for over 30 s', advice);
    return broken ? warn(`beam ${line}`, 'broken', advice) : ok(`beam ${line}`, 'clear');
  });
}

const alignment =
  'stand clear; align the beam until `agent watch` shows it clear; check its cable and supply; then run `agent learn`';
const inverted = 'stand clear; both still broken: `agent learn` finds out whether their levels are inverted';

/** It is less likely that two lights miss their receivers than that a sensor rests at the other level. */
function adviceFor(broken: readonly boolean[]): string {
  return broken.length === 2 && broken.every(Boolean) ? inverted : alignment;
}

async function checkLines({ a, b, bias = 'pull-up' }: GpioBeamsConfig): Promise<Finding[]> {
  const lines = b ? [a, b] : [a];
  try {
    const names = lines.map(({ line }) => line);
    const levels = await readLevels(names, bias);
    const beams = lines.map(({ line: name, activeLow = false }, index) => {
      const high = levels[index] === true;
      return { line: index === 0 ? 'a' : 'b', name, high, broken: high !== activeLow };
    });
    const advice = adviceFor(beams.map(({ broken }) => broken));
    return beams.map(({ line, name, high, broken }) => {
      const detail = `${name} is ${high ? 'high' : 'low'}: ${broken ? 'broken' : 'clear'}`;
      return broken ? warn(`beam ${line}`, detail, advice) : ok(`beam ${line}`, detail);
    });
  } catch (error) {
    return [failed('lines', error)];
  }
}

function failed(what: string, error: unknown): Finding {
  if (!(error instanceof GpioError)) throw error;
  return fail(what, error.problem, error.advice ?? 'see the message');
}
