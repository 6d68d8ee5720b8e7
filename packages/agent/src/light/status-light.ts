import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { pause } from '../async/pause.ts';
import type { GpioLine } from '../beams/line-map.ts';
import type { GpioTools } from '../gpio/gpio-tools.ts';
import { toolFailed } from '../gpio/run-tool.ts';
import { startTool } from '../gpio/watch-lines.ts';
import { type LightState, lightPatterns } from './light-pattern.ts';

export interface LightParts {
  readonly openTools: () => Promise<GpioTools>;
  readonly env: NodeJS.ProcessEnv;
  /** The light cannot be driven; this is retried. */
  readonly onProblem: (error: Error) => void;
}

/** How long to wait (ms) before a light that could not be driven is tried again. */
const retryAfter = 10_000;

/**
 * A light on a GPIO line, blinked by a child process, so that it costs nothing while its state does not
 * change.
 */
export class StatusLight {
  readonly #line: GpioLine;
  readonly #parts: LightParts;
  readonly #stopping = new AbortController();
  #state: LightState | undefined;
  #change = new AbortController();
  #ended: Promise<void> | undefined;

  constructor(line: GpioLine, parts: LightParts) {
    this.#line = line;
    this.#parts = parts;
  }

  show(state: LightState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#change.abort();
    this.#ended ??= this.#run();
  }

  /** Releases the line, which makes the light dark unless a resistor of the board pulls the line to the other level. */
  async close(): Promise<void> {
    this.#stopping.abort();
    this.#change.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted && this.#state) {
      this.#change = new AbortController();
      const { signal } = this.#change;
      try {
        await this.#blink(this.#state, signal);
      } catch (error) {
        this.#parts.onProblem(error instanceof Error ? error : new Error(String(error)));
        await pause(retryAfter, this.#stopping.signal);
      }
    }
  }

  /** Blinks until `signal` aborts. Throws GpioError if the tool ends. */
  async #blink(state: LightState, signal: AbortSignal): Promise<void> {
    const tools = await this.#parts.openTools();
    const command = await tools.blink(this.#line.line, this.#line.activeLow, lightPatterns[state]);
    if (signal.aborted) return;
    const child = startTool(command, this.#parts.env);
    const stop = () => child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    child.stdout.resume();
    const stderr = text(child.stderr);
    try {
      const [code, ended] = await once(child, 'close');
      if (signal.aborted) return;
      const end = Object.assign(new Error('ended'), { code, signal: ended, stderr: await stderr });
      throw await toolFailed('gpioset', tools.major, end);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}
