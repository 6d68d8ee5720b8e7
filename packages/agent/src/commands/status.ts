import type { DoorConfig } from '../config/agent-config.ts';
import { chooseDoor, type DoorOptions, loadConfig } from '../config/load-config.ts';
import { askOnce } from '../local/ask-agent.ts';
import type { DoorView } from '../local/door-view.ts';
import { problemsOf } from '../update/check-health.ts';
import { updateReport, updateText } from '../update/update.ts';

interface StatusOptions {
  readonly config: string;
  readonly json?: boolean;
  readonly check?: boolean;
}

export const noAgent =
  'No agent runs with this configuration, or this user may not connect to it (try sudo). `doctor` says why.';

/**
 * Prints the state of each door of the running agent. Exit code 0, or 1 when no agent runs. With `check` it prints only
 * what does not work, and the exit code is 1 if there is anything.
 */
export async function status(
  { config, json, check }: StatusOptions,
  process: NodeJS.Process,
): Promise<number> {
  const { doors } = await loadConfig(config, process.env);
  if (check) return printProblems(doors, process);
  const views = await Promise.all(doors.map(({ journal }) => askOnce(journal)));
  const running = views.filter((view) => view !== undefined);
  if (json) process.stdout.write(`${JSON.stringify(running)}\n`);
  else process.stdout.write(running.map(statusText).join('\n'));
  const { update } = updateReport(process.env);
  if (update && !json) process.stdout.write(`  update   ${updateText(update)}\n`);
  if (running.length === doors.length) return 0;
  process.stderr.write(`${noAgent}\n`);
  return 1;
}

async function printProblems(doors: readonly DoorConfig[], { stdout }: NodeJS.Process): Promise<number> {
  const problems = (await Promise.all(doors.map(problemsOf))).flat();
  stdout.write(problems.map((problem) => `${problem}\n`).join(''));
  return problems.length > 0 ? 1 : 0;
}

export function statusText(view: DoorView): string {
  const { serial, beams, problem, in: entries, out, last } = view;
  const { recorded, pending, held, lost, storage, givenUp, connected, failure, uptime, version } =
    view.delivery;
  const beam = ([name, state]: [string, { broken?: boolean; state: string }]) =>
    `${name} ${state.state === 'blocked' ? 'BLOCKED' : state.broken ? 'broken' : state.broken === false ? 'clear' : 'unknown'}`;
  const lines = [
    serial,
    `  beams    ${problem ?? Object.entries(beams).map(beam).join(', ')}`,
    `  counted  in ${entries}, out ${out} since the start${last ? `, last ${new Date(last.at).toISOString()}` : ''}`,
  ];
  if (view.flickering) lines.push('  WARNING  a beam flickers, so counts are wrong: see `doctor`');
  if (view.directionDoubtful)
    lines.push('  WARNING  more people went out than in since the start: if that is wrong, run `learn`');
  lines.push(
    `  server   ${connected ? 'connected' : `not connected: ${failure ?? 'trying'}`}`,
    `  journal  ${recorded} crossings, ${pending} not yet acknowledged`,
  );
  if (storage !== undefined) lines.push(`  STORAGE  ${storage}`);
  if (held > 0)
    lines.push(`  STORAGE  ${held} crossings only in memory: they are lost if the power fails now`);
  if (lost > 0) lines.push(`  LOST     ${lost} crossings: the disk could not be read`);
  if (givenUp > 0) lines.push(`  LOST     ${givenUp} crossings: no room on the disk or in memory`);
  if (view.clockProblem !== undefined) lines.push(`  CLOCK    ${view.clockProblem}`);
  lines.push(`  agent    ${version}, up ${uptime} s`);
  return `${lines.join('\n')}\n`;
}

/** Blinks the light of the running agent for half a minute. Exit code 0, or 1 when none runs. */
export async function identify({ config, door }: DoorOptions, process: NodeJS.Process): Promise<number> {
  const unit = await loadConfig(config, process.env);
  const { journal } = door === undefined && unit.doors[0] ? unit.doors[0] : chooseDoor(unit, door);
  const view = await askOnce(journal, 'identify');
  if (view && unit.light) return 0;
  process.stderr.write(view ? 'This unit has no light: set light.line.\n' : `${noAgent}\n`);
  return 1;
}
