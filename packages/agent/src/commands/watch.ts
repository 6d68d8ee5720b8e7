import { styleText } from 'node:util';
import { stopSignal } from '@visitor-counter/service/run-service';
import { sizedTerminal } from '@visitor-counter/service/sized-terminal';
import { createLogUpdate } from 'log-update';
import { chooseDoor, type DoorOptions, loadConfig } from '../config/load-config.ts';
import { askAgent } from '../local/ask-agent.ts';
import type { DoorView } from '../local/door-view.ts';
import { noAgent } from './status.ts';

const recentPaths = 10;

/**
 * Shows the state of a door of the running agent, which uses its lines. If the output is not a terminal, prints one line for
 * each path. Exit code 0, or 1 when no agent runs. Throws ConfigurationError.
 */
export async function watch(options: DoorOptions, process: NodeJS.Process): Promise<number> {
  const { stdout, stderr, env } = process;
  const door = chooseDoor(await loadConfig(options.config, env), options.door);
  const signal = stopSignal(env);
  const draw = stdout.isTTY ? createLogUpdate(sizedTerminal(stdout)) : undefined;
  const history = new PathHistory();
  const recent: string[] = [];
  let last: DoorView | undefined;
  for await (const line of askAgent(door.journal, 'watch', signal)) {
    const view: DoorView = JSON.parse(line);
    if (!draw && !last) stdout.write('through the running agent, which continues to count\n');
    const time = new Date().toTimeString().slice(0, 8);
    const news = history.take(view).map((path) => `${time}  ${path}`);
    recent.push(...news);
    recent.splice(0, recent.length - recentPaths);
    if (draw) draw(watchText(view, recent));
    else {
      if (view.problem && view.problem !== last?.problem) news.push(view.problem);
      stdout.write(news.map((line) => `${line}\n`).join(''));
    }
    last = view;
  }
  draw?.done();
  if (signal.aborted) return 0;
  if (last) stdout.write('The agent has ended.\n');
  else stderr.write(`${noAgent}\n`);
  return last ? 0 : 1;
}

/** The state of a door for the installer who aligns its beams. */
function watchText(view: DoorView, recent: readonly string[]): string {
  const { beams, facts } = view;
  const { turnBacks, noise, unclear, slow, resyncs } = facts;
  return [
    styleText('bold', view.serial),
    '',
    `  street  ${beam('a', beams.a)}${beams.b ? `    ${beam('b', beams.b)}  store` : ''}`,
    ...(view.problem === undefined ? [] : [styleText('red', `  ${view.problem}`)]),
    '',
    `  in ${styleText('bold', String(view.in))}   out ${styleText('bold', String(view.out))}`,
    `  turned back ${turnBacks}, only a ${beams.a?.alone ?? 0}, only b ${beams.b?.alone ?? 0}, too short ${noise}, ` +
      `slow ${slow}, unclear ${unclear}, lost edges ${(view.lostEdges ?? 0) + resyncs}`,
    '',
    ...recent.map((line) => `  ${line}`),
    styleText('dim', '  Ctrl-C ends this.'),
  ].join('\n');
}

function beam(name: string, state: DoorView['beams']['a']): string {
  if (state?.broken === undefined) return `${name} ${styleText('yellow', '? unknown')}`;
  if (state.state === 'blocked') return `${name} ${styleText('red', '● BLOCKED')}`;
  return state.broken
    ? `${name} ${styleText('yellow', '● broken ')}`
    : `${name} ${styleText('green', '○ clear  ')}`;
}

/** Facts in the words of an installer. */
const outcomes = [
  ['turnBacks', 'turned back'],
  ['partialPaths', 'touched one beam only'],
  ['noise', 'too short for a person'],
  ['repeats', 'too soon after the one before'],
  ['unclear', 'unclear: neither in nor out'],
  ['blocked', 'blocked: nothing is counted until both beams are clear'],
] as const;

/** Derives the path of each person from successive states of a door. */
export class PathHistory {
  #before: Counts | undefined;

  /** The paths that ended since the last state, such as `a, both, b: IN`; the beams are those of the latest one. */
  take(present: Counts): readonly string[] {
    const before = this.#before;
    this.#before = present;
    if (before === undefined) return [];
    const words = [
      ...repeat('IN', present.in - before.in),
      ...repeat('OUT', present.out - before.out),
      ...outcomes.flatMap(([fact, said]) => repeat(said, present.facts[fact] - before.facts[fact])),
    ];
    return words.map((outcome) => (present.lastPath === '' ? outcome : `${present.lastPath}: ${outcome}`));
  }
}

type Counts = Pick<DoorView, 'in' | 'out' | 'facts' | 'lastPath'>;

function repeat(words: string, times: number): string[] {
  return Array.from({ length: Math.max(0, times) }, () => words);
}
