import { styleText } from 'node:util';
import { stopSignal } from '@visitor-counter/service/run-service';
import { sizedTerminal } from '@visitor-counter/service/sized-terminal';
import { createLogUpdate } from 'log-update';
import { openBeams } from '../beams/open-beams.ts';
import { beginOfTime, displayedOffset, endOfTime, instantOf, recordedMoment } from '../clock/time.ts';
import type { DoorConfig } from '../config/agent-config.ts';
import { chooseDoor, type DoorOptions, loadConfig } from '../config/load-config.ts';
import { Detector } from '../detector/detector.ts';
import type { DetectedCrossing } from '../detector/path.ts';
import { askAgent } from '../local/ask-agent.ts';
import { type DoorView, viewOf } from '../local/door-view.ts';
import { Tally } from '../recording/door-reports.ts';

const recentPaths = 10;

/**
 * Shows the state of a door: from the running agent if there is one, since it uses the lines, else by reading the lines. If
 * the output is not a terminal, it prints one line for each path. Throws ConfigurationError.
 */
export async function watch(
  { config: file, door: serial }: DoorOptions,
  process: NodeJS.Process,
): Promise<number> {
  const door = chooseDoor(await loadConfig(file, process.env), serial);
  const signal = stopSignal(process.env);
  const screen = watchScreen(process.stdout);
  let answered = false;
  for await (const view of askAgent(door.journal, 'watch', signal)) {
    if (!answered) screen.begin('through the running agent, which uses the lines and continues to count');
    answered = true;
    screen.show(view);
  }
  if (!answered && !signal.aborted) {
    screen.begin('read here: no agent runs, nothing is journaled');
    await watchDoor(door, screen.show, signal);
  }
  screen.end(answered && !signal.aborted ? 'The agent has ended.' : undefined);
  return 0;
}

function watchScreen(stdout: NodeJS.WriteStream) {
  const interactive = stdout.isTTY === true;
  const draw = createLogUpdate(sizedTerminal(stdout));
  const history = new PathHistory();
  const recent: string[] = [];
  let source = '';
  let problem: string | undefined;
  const line = (text: string) => {
    if (interactive) recent.push(text);
    else stdout.write(`${text}\n`);
    recent.splice(0, recent.length - recentPaths);
  };
  return {
    begin: (text: string) => {
      source = text;
      if (!interactive) stdout.write(`${text}\n`);
    },
    show: (view: DoorView) => {
      for (const path of history.take(view)) line(`${new Date().toTimeString().slice(0, 8)}  ${path}`);
      if (!interactive && view.problem !== problem && view.problem) stdout.write(`${view.problem}\n`);
      problem = view.problem;
      if (interactive) draw(watchText(view, source, recent));
    },
    end: (text?: string) => {
      if (interactive) draw.done();
      if (text !== undefined) stdout.write(`${text}\n`);
    },
  };
}

/** How often the detector is advanced without a new edge (ms). */
const advanceEvery = 50;

/**
 * Reads a door's beams in this process and calls `show` whenever there may be something new, until the beams
 * end or `signal` aborts. Nothing is journaled.
 */
async function watchDoor(
  config: DoorConfig,
  show: (view: DoorView) => void,
  signal: AbortSignal,
): Promise<void> {
  const beams = await openBeams(config.beams, { resumeAfter: Date.now() });
  const detector = new Detector(config, beams.levels, beams.now() ?? recordedMoment(Date.now()));
  const tally = new Tally();
  const take = (crossings: readonly DetectedCrossing[]) => {
    const offset = displayedOffset(beams.stampClock);
    tally.add(crossings.map(({ at, direction }) => ({ at: instantOf(at, offset), direction })));
    show(viewOf({ serial: config.serial, beams, detector, tally }));
  };
  const timer = setInterval(() => take(detector.advance(beams.now() ?? beginOfTime)), advanceEvery);
  try {
    for await (const batch of beams.edges(signal)) {
      for (const event of batch) take('levels' in event ? detector.restart(event) : detector.edge(event));
    }
    take(detector.advance(endOfTime));
  } finally {
    clearInterval(timer);
  }
}

/** The state of a door for the installer who aligns its beams. */
function watchText(view: DoorView, source: string, recent: readonly string[]): string {
  const { beams, facts } = view;
  const { turnBacks = 0, noise = 0, unclear = 0, slow = 0, resyncs = 0 } = facts;
  return [
    `${styleText('bold', view.serial)}   ${styleText('dim', source)}`,
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

/** Each fact in the words of an installer. */
const outcomes = {
  turnBacks: 'turned back',
  partialPaths: 'touched one beam only',
  noise: 'too short for a person',
  repeats: 'too soon after the one before',
  unclear: 'unclear: neither in nor out',
  blocked: 'blocked: nothing is counted until both beams are clear',
} as const;

/** Derives the path of each person from successive snapshots of a door. */
export class PathHistory {
  #before: DoorView | undefined;

  /**
   * The paths that ended since the last snapshot, such as `a, both, b: IN`; the beams are those of the latest
   * one.
   */
  take(view: DoorView): readonly string[] {
    const before = this.#before;
    this.#before = view;
    if (before === undefined) return [];
    const ended = [
      ...repeat('IN', view.in - before.in),
      ...repeat('OUT', view.out - before.out),
      ...Object.entries(outcomes).flatMap(([fact, words]) =>
        repeat(words, (view.facts[fact] ?? 0) - (before.facts[fact] ?? 0)),
      ),
    ];
    return ended.map((words) => (view.lastPath === '' ? words : `${view.lastPath}: ${words}`));
  }
}

function repeat(words: string, times: number): string[] {
  return Array.from({ length: Math.max(0, times) }, () => words);
}
