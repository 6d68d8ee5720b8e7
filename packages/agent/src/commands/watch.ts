import { stopSignal } from '@visitor-counter/service/run-service';
import { sizedTerminal } from '@visitor-counter/service/sized-terminal';
import { createLogUpdate } from 'log-update';
import { loadConfig } from '../config/load-config.ts';
import { askAgent } from '../local/ask-agent.ts';
import type { DoorView } from '../local/door-view.ts';
import { PathHistory } from '../watch/path-history.ts';
import { watchDoor } from '../watch/watch-door.ts';
import { watchText } from '../watch/watch-text.ts';
import { chooseDoor, type DoorOptions } from './choose-door.ts';

/** The number of latest paths that the screen shows. */
const recentPaths = 10;

/**
 * Shows the state of a door: from the running agent, which uses the lines, or by reading the lines here. If the output is
 * not a terminal, it prints one line for each path. Throws ConfigurationError.
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
