import type { Logger } from './logger.ts';

export type BoundedLevel = 'debug' | 'info' | 'warn' | 'error';

interface Window {
  readonly level: BoundedLevel;
  lines: number;
  leftOut: number;
}

/**
 * A log for events that clients can cause without limit. At most so many lines of each message are written in
 * a window; further ones are counted, and a line at the end of the window reports their number.
 *
 * The messages must be few and fixed, so that memory is bounded: variable values belong in the fields.
 */
export class BoundedLog {
  readonly #log: Logger;
  readonly #lines: number;
  readonly #window: number;
  readonly #windows = new Map<string, Window>();

  /** `lines`: the most lines of one message in a window. `window`: its length (ms). */
  constructor(log: Logger, { lines = 20, window = 10_000 } = {}) {
    this.#log = log;
    this.#lines = lines;
    this.#window = window;
  }

  write(level: BoundedLevel, facts: object, message: string): void {
    if (!this.#log.isLevelEnabled(level)) return;
    const window = this.#windows.get(message) ?? this.#open(level, message);
    if (window.lines >= this.#lines) {
      window.leftOut += 1;
      return;
    }
    window.lines += 1;
    this.#log[level](facts, message);
  }

  #open(level: BoundedLevel, message: string): Window {
    const window = { level, lines: 0, leftOut: 0 };
    this.#windows.set(message, window);
    setTimeout(() => this.#close(message, window), this.#window).unref();
    return window;
  }

  #close(message: string, { level, leftOut }: Window): void {
    this.#windows.delete(message);
    if (leftOut > 0) this.#log[level]({ leftOut, seconds: this.#window / 1_000 }, message);
  }
}

/** The longest client id or topic of this product is far shorter. */
const maxLength = 200;

/** A text that a client chose, cut to a bounded length. */
export function shortened(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}
