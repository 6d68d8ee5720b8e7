import type { MonotonicMs } from '@visitor-counter/domain/time';
import { monotonicMs } from '../clock/time.ts';
import { GpioError, runTool, type ToolCommand } from './run-tool.ts';

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
export async function requireLibgpiod(env: NodeJS.ProcessEnv): Promise<string> {
  const version = parseVersion(await runTool('gpiomon', ['--version'], env));
  if (Number.parseInt(version, 10) >= 2) return version;
  const advice = 'install libgpiod 2: apt-get install -t bookworm-backports gpiod';
  throw new GpioError('gpio-tools-old', `gpiomon is of libgpiod ${version}`, advice);
}

/**
 * The version in what `gpiomon --version` prints. Only the word after the library's name is the version: the text
 * of 1.6 continues with "LGPLv2.1". Throws GpioError.
 */
export function parseVersion(text: string): string {
  const [, version] = /libgpiod\) v(\d[\d.]*)/.exec(text) ?? [];
  if (version === undefined) throw unexpectedOutput('gpiomon', text, 'a version');
  return version;
}

/** The present levels, true for high, in the order of `lines`. Throws GpioError; not while they are watched. */
export async function readLevels(
  lines: readonly string[],
  bias: Bias,
  env: NodeJS.ProcessEnv,
): Promise<boolean[]> {
  const text = await runTool('gpioget', [...biasArgs(bias), '--numeric', ...lines], env);
  const digits = text.trim().split(/\s+/);
  if (digits.length !== lines.length || !digits.every((digit) => digit === '0' || digit === '1')) {
    throw unexpectedOutput('gpioget', text, `${lines.length} levels`);
  }
  return digits.map((digit) => digit === '1');
}

/** The command that prints a banner when it watches the lines, and then their edges, for `parseEdge`. */
export function monitorCommand(lines: readonly string[], bias: Bias): ToolCommand {
  const args = ['--banner', ...biasArgs(bias), '--unquoted', '-F', '%l %e %S', ...lines];
  return { program: 'gpiomon', args };
}

/** The command that switches a line on and off in turn, for `periods` (ms, an even number), without end. */
export function blinkCommand(line: string, activeLow: boolean, periods: readonly number[]): ToolCommand {
  return {
    program: 'gpioset',
    args: [...(activeLow ? ['-l'] : []), '-t', periods.join(','), `${line}=1`],
  };
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
  return new GpioError(
    'gpio-output',
    `${program} printed ${JSON.stringify(text.slice(0, 80))}: expected ${expected}`,
  );
}
