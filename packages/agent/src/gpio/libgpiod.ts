import type { MonotonicMs } from '@visitor-counter/domain/time';
import { textLines } from '../async/text-lines.ts';
import { monotonicMs } from '../clock/time.ts';
import { GpioError, runTool, startTool } from './run-tool.ts';

/** The resistor that sets the level of a line while nothing drives it; `as-is` does not change the system's setting. */
export const biases = ['pull-up', 'pull-down', 'disabled', 'as-is'] as const;
export type Bias = (typeof biases)[number];

/** An electrical edge as `gpiomon` reports it: not yet the state of a beam. */
export interface LineEdge {
  /** The line's name. */
  readonly line: string;
  readonly high: boolean;
  /** CLOCK_MONOTONIC. */
  readonly at: MonotonicMs;
}

/** The version of libgpiod's tools, which must be 2 or later, such as 2.2.1. Throws GpioError. */
export async function requireLibgpiod(): Promise<string> {
  const version = parseVersion(await runTool('gpiomon', ['--version']));
  if (Number.parseInt(version, 10) >= 2) return version;
  const advice = 'install libgpiod 2: apt-get install -t bookworm-backports gpiod';
  throw new GpioError(`gpiomon is of libgpiod ${version}`, advice);
}

/**
 * The version in what `gpiomon --version` prints. Only the word after the library's name is the version: the text
 * of 1.6 continues with "LGPLv2.1". Throws GpioError.
 */
function parseVersion(text: string): string {
  const [, version] = /libgpiod\) v(\d[\d.]*)/.exec(text) ?? [];
  if (version === undefined) throw unexpectedOutput('gpiomon', text, 'a version');
  return version;
}

/** The present levels, true for high, in the order of `lines`. Throws GpioError; not while they are watched. */
export async function readLevels(lines: readonly string[], bias: Bias): Promise<boolean[]> {
  const text = await runTool('gpioget', [...biasArgs(bias), '--numeric', ...lines]);
  const digits = text.trim().split(/\s+/);
  if (digits.length !== lines.length || !digits.every((digit) => digit === '0' || digit === '1')) {
    throw unexpectedOutput('gpioget', text, `${lines.length} levels`);
  }
  return digits.map((digit) => digit === '1');
}

/**
 * Watches the lines with `gpiomon` until `signal` aborts. Returns an empty batch when the banner of the program shows that it
 * watches them, and then their edges, a batch for each piece of output. Throws GpioError if the program ends or prints
 * something else.
 */
export async function* watchLines(
  lines: readonly string[],
  bias: Bias,
  signal: AbortSignal,
): AsyncGenerator<readonly LineEdge[], void, undefined> {
  const args = ['--banner', ...biasArgs(bias), '--unquoted', '-F', '%l %e %S', ...lines];
  const stop = new AbortController();
  const { child, ended } = startTool('gpiomon', args, AbortSignal.any([signal, stop.signal]));
  try {
    for await (const printed of textLines(child.stdout)) {
      if (printed.length > 0) yield printed.flatMap((line) => parseEdge(line) ?? []);
    }
    const error = await ended;
    if (!signal.aborted) throw error;
  } finally {
    stop.abort();
    await ended;
  }
}

/** Switches a line on and off in turn, for `periods` (ms, an even number), until `signal` aborts. Throws GpioError. */
export async function blinkLine(
  line: string,
  activeLow: boolean,
  periods: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const args = [...(activeLow ? ['-l'] : []), '-t', periods.join(','), `${line}=1`];
  const { child, ended } = startTool('gpioset', args, signal);
  child.stdout.resume();
  const error = await ended;
  if (!signal.aborted) throw error;
}

function biasArgs(bias: Bias): string[] {
  return bias === 'as-is' ? [] : ['-b', bias];
}

/**
 * An edge in the format `%l %e %S`: `GPIO17 2 11.255477775` fell 11.255 s after the start of the machine. Undefined for the
 * banner (`Monitoring lines …`). Throws GpioError.
 */
export function parseEdge(text: string): LineEdge | undefined {
  if (text === '' || text.startsWith('Monitoring ')) return undefined;
  const [, line, kind, seconds, nanoseconds] = /^(\S+) ([12]) (\d+)\.(\d{9})$/.exec(text) ?? [];
  if (line === undefined) throw unexpectedOutput('gpiomon', text, 'an edge');
  const at = monotonicMs(Number(seconds) * 1_000 + Math.floor(Number(nanoseconds) / 1e6));
  return { line, high: kind === '1', at };
}

function unexpectedOutput(program: string, text: string, expected: string): GpioError {
  return new GpioError(`${program} printed ${JSON.stringify(text.slice(0, 80))}: expected ${expected}`);
}
