import type { MonotonicMs } from '@visitor-counter/domain/time';

/** The resistor that sets the level of a line while nothing drives it; `as-is` does not change the system's setting. */
export const biases = ['pull-up', 'pull-down', 'disabled', 'as-is'] as const;
export type Bias = (typeof biases)[number];

/** An electrical edge as the tools report it: not yet the state of a beam. */
export interface LineEdge {
  /** The line's name. */
  readonly line: string;
  readonly high: boolean;
  /** CLOCK_MONOTONIC. */
  readonly at: MonotonicMs;
}

/** A program to be run as a child process. */
export interface ToolCommand {
  readonly program: string;
  readonly args: readonly string[];
}

export interface MonitorCommand extends ToolCommand {
  /** Parses a line of output; undefined for one that is not an edge. Throws GpioError. */
  readonly parse: (text: string) => LineEdge | undefined;
}

/** The command lines of one version of libgpiod's tools. */
export interface GpioTools {
  /** As the tools print it, such as 2.2.1. */
  readonly version: string;
  readonly major: number;
  /** The present levels, true for high, in the order of `lines`. Throws GpioError; not while they are watched. */
  levels(lines: readonly string[], bias: Bias): Promise<boolean[]>;
  /** The command that reports both edges of the lines. Throws GpioError. */
  monitor(lines: readonly string[], bias: Bias): Promise<MonitorCommand>;
  /**
   * The command that switches a line on and off in turn, for `periods` (ms, an even number), without end. Throws
   * GpioError.
   */
  blink(line: string, activeLow: boolean, periods: readonly number[]): Promise<ToolCommand>;
}

/** Runs a tool to its end and returns its output. Throws GpioError. */
export type RunTool = (program: string, args: readonly string[]) => Promise<string>;
