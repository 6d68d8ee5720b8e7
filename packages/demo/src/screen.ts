import { styleText } from 'node:util';
import { sizedTerminal } from '@visitor-counter/service/sized-terminal';
import { createLogUpdate } from 'log-update';

/** The output of the demonstration: permanent lines, and below them a part that is redrawn. */
export interface Screen {
  /** True if a part of the screen can be redrawn; false for a file or a pipe. */
  readonly interactive: boolean;
  line(text: string): void;
  /** Prints a completed step and its duration; `startedAt` is of `performance.now()`. */
  done(text: string, startedAt: number): void;
  notice(text: string): void;
  /** Redraws the lower part; does nothing if the screen is not interactive. */
  redraw(text: string): void;
  /** Makes the lower part permanent; further lines follow below it. */
  keep(): void;
}

export function createScreen(stream: NodeJS.WriteStream): Screen {
  const interactive = stream.isTTY === true;
  const lower = createLogUpdate(sizedTerminal(stream));
  const line = (text: string) => {
    if (interactive) lower.clear();
    stream.write(`${text}\n`);
  };
  return {
    interactive,
    line,
    done: (text, startedAt) => {
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      line(`${styleText('green', '✔')} ${text} ${styleText('dim', `(${seconds} s)`)}`);
    },
    notice: (text) => line(`${styleText('yellow', '!')} ${text}`),
    redraw: (text) => {
      if (interactive) lower(text);
    },
    keep: () => {
      if (interactive) lower.done();
    },
  };
}
