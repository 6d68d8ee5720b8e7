import { spawn } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

/** The GPIO lines cannot be used; the message ends with `advice`. Every fault may be temporary, so callers retry. */
export class GpioError extends Error {
  override readonly name = 'GpioError';
  readonly problem: string;
  readonly advice: string | undefined;

  constructor(problem: string, advice?: string) {
    super(advice === undefined ? problem : `${problem} (${advice})`);
    this.problem = problem;
    this.advice = advice;
  }
}

/** A tool that has not ended after this time (ms) hangs. */
const longestRun = 30_000;

/** Runs a tool, which is found by the PATH of the environment, to its end. Returns its output. Throws GpioError. */
export async function runTool(program: string, args: readonly string[]): Promise<string> {
  const { child, ended } = startTool(program, args, AbortSignal.timeout(longestRun));
  const output = await text(child.stdout);
  const error = await ended;
  if (child.exitCode !== 0) throw error;
  return output;
}

/** Part of every Debian: runs a program that the kernel kills when the parent process ends. */
const setpriv = '/usr/bin/setpriv';

/** The most characters of the standard error that are kept, the last ones: a tool may print for months. */
const longestError = 2_000;

/**
 * Starts a tool, which `signal` kills; `ended` resolves with an error that says why it has ended. If this process is killed,
 * the kernel kills the tool as well; otherwise the tool would occupy its lines at the next start.
 */
export function startTool(program: string, args: readonly string[], signal: AbortSignal) {
  const command = existsSync(setpriv) ? [setpriv, '--pdeathsig', 'KILL', program] : [program];
  const [file = '', ...first] = command;
  const child = spawn(file, [...first, ...args], {
    signal,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr = (stderr + part).slice(-longestError);
  });
  /* That it was killed, or does not exist, is seen when it closes. */
  child.on('error', () => {});
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ended = closed.then(async () => {
    const end = child.signalCode ?? child.exitCode ?? 'an error';
    return explainEnd(program, end, stderr, await chips());
  });
  return { child, ended };
}

/** The GPIO chips of the machine: how many there are, and how many of them this process may open. */
interface Chips {
  readonly all: number;
  readonly open: number;
}

async function chips(): Promise<Chips> {
  const devices = (await readdir('/dev')).filter((name) => name.startsWith('gpiochip'));
  const mode = constants.R_OK | constants.W_OK;
  const opened = await Promise.allSettled(devices.map((name) => access(`/dev/${name}`, mode)));
  return { all: devices.length, open: opened.filter(({ status }) => status === 'fulfilled').length };
}

/** The message for an installer: why a tool has ended (`end`: exit code or signal), and what to do. */
function explainEnd(program: string, end: number | string, stderr: string, chips: Chips): GpioError {
  if (end === -2 || /failed to execute/.test(stderr))
    return new GpioError(`${program} is not installed`, 'install libgpiod 2: apt-get install gpiod');
  const problem = stderr.trim().split('\n').at(-1) || `${program} ended with ${end}`;
  return new GpioError(problem, adviceFor(stderr, chips));
}

/** A line is reported as missing if the chip may not be opened, so the chips are checked first. */
function adviceFor(stderr: string, chips: Chips): string {
  if (/resource busy/i.test(stderr))
    return 'another program uses this line; `gpioinfo` names it, stop it first';
  if (chips.all === 0) return 'there is no /dev/gpiochip*: not a Raspberry Pi, or no driver';
  if (chips.open === 0 || /permission denied/i.test(stderr))
    return 'this user may not open /dev/gpiochip*: add it to the group gpio, then log in again';
  if (/cannot find/i.test(stderr)) return 'no line has this name; `gpioinfo` lists the names, such as GPIO17';
  if (/invalid (bias|argument)/i.test(stderr)) return 'the chip refuses these settings';
  return 'it is started again';
}
