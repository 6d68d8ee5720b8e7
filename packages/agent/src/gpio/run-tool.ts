import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { textLines } from '../async/text-lines.ts';
import type { LineEdge, MonitorCommand, RunTool, ToolCommand } from './gpio-tools.ts';

type GpioFault =
  | 'gpio-tools-missing'
  | 'gpio-chip-missing'
  | 'gpio-permission'
  | 'gpio-line-missing'
  | 'gpio-line-busy'
  | 'gpio-kernel-too-new'
  | 'gpio-setting'
  | 'gpio-output'
  | 'gpio-stopped';

/** The GPIO lines cannot be used; the message ends with `advice`. Every fault may be temporary, so callers retry. */
export class GpioError extends Error {
  override readonly name = 'GpioError';
  readonly code: GpioFault;
  readonly problem: string;
  readonly advice: string | undefined;

  constructor(code: GpioFault, problem: string, advice?: string, options?: ErrorOptions) {
    super(advice === undefined ? problem : `${problem} (${advice})`, options);
    this.code = code;
    this.problem = problem;
    this.advice = advice;
  }
}

/** A tool that has not ended after this time (ms) hangs. */
const longestRun = 30_000;

/** Runs the tools of a major version, which are found by the PATH of the environment. */
export function toolRunner(major: number, env: NodeJS.ProcessEnv): RunTool {
  return async (program, args) => {
    try {
      const options = { env, timeout: longestRun, encoding: 'utf8' as const };
      return (await promisify(execFile)(program, [...args], options)).stdout;
    } catch (error) {
      throw await toolFailed(program, major, error);
    }
  };
}

/** The error of a tool that failed, from the error of its process. */
export async function toolFailed(program: string, major: number, error: unknown): Promise<GpioError> {
  const { code, signal, stderr } = processEnd(error);
  if (code === 'ENOENT') {
    const problem = `${program} is not installed`;
    return new GpioError('gpio-tools-missing', problem, 'apt-get install gpiod', { cause: error });
  }
  return explainFailure({ program, major, stderr, ended: signal ?? code, ...(await chips()) });
}

function processEnd(error: unknown): { code: number | string; signal?: string; stderr: string } {
  if (!(error instanceof Error)) return { code: String(error), stderr: '' };
  const { code, signal, stderr }: Record<string, unknown> = { ...error };
  return {
    code: typeof code === 'number' ? code : String(code ?? error.message),
    ...(typeof signal === 'string' && { signal }),
    stderr: typeof stderr === 'string' ? stderr : '',
  };
}

/** How many GPIO chips the machine has, and how many of them this process may open. */
async function chips(): Promise<{ chips: number; openChips: number }> {
  const devices = (await readdir('/dev')).filter((name) => name.startsWith('gpiochip'));
  const mode = constants.R_OK | constants.W_OK;
  const opened = await Promise.allSettled(devices.map((name) => access(`/dev/${name}`, mode)));
  return { chips: devices.length, openChips: opened.filter(({ status }) => status === 'fulfilled').length };
}

/** Part of every Debian: runs a program that the kernel kills when the parent process ends. */
const setpriv = '/usr/bin/setpriv';

/**
 * Runs `gpiomon` as a child process and returns its edges, a batch per piece of output, until `signal` aborts. Throws
 * GpioError if the program ends or prints something else.
 */
export async function* watchLines(
  command: MonitorCommand,
  major: number,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): AsyncGenerator<readonly LineEdge[]> {
  if (signal.aborted) return;
  const child = startTool(command, env);
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  const ended = endOf(child);
  try {
    for await (const lines of textLines(child.stdout)) {
      const edges = lines.flatMap((line) => command.parse(line) ?? []);
      if (edges.length > 0) yield edges;
    }
    const error = await ended;
    if (!signal.aborted) throw await toolFailed(command.program, major, error);
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
    await ended;
  }
}

/**
 * Starts a long-running tool. If this process is killed, the kernel kills the tool as well; otherwise the tool would
 * occupy its lines at the next start.
 */
export function startTool({ program, args }: ToolCommand, env: NodeJS.ProcessEnv) {
  const wrapped = existsSync(setpriv);
  return spawn(wrapped ? setpriv : program, wrapped ? ['--pdeathsig', 'KILL', program, ...args] : [...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Resolves when a child has ended, with the error that `execFile` would have thrown. */
export async function endOf(child: ChildProcess & { stderr: NodeJS.ReadableStream }): Promise<Error> {
  const stderr = text(child.stderr);
  try {
    const [code, signal] = await once(child, 'close');
    return Object.assign(new Error('ended'), { code, signal, stderr: await stderr });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** How a tool of libgpiod ended, and which GPIO chips the machine has. */
interface ToolFailure {
  readonly program: string;
  /** Major version of libgpiod. */
  readonly major: number;
  readonly stderr: string;
  /** Exit code or signal. */
  readonly ended: number | string;
  /** How many GPIO chips there are, and how many of them this user may open. */
  readonly chips: number;
  readonly openChips: number;
}

/** The message for an installer: the fault, and what to do. */
export function explainFailure(failure: ToolFailure): GpioError {
  const { program, stderr, ended } = failure;
  const said = stderr.trim().split('\n').at(-1) || `${program} ended with ${ended}`;
  const [code, advice] = diagnose(failure);
  return new GpioError(code, said, advice);
}

/** Version 2 reports a line as missing if it may not open the chip, so the chips are checked first. */
function diagnose({ program, stderr, major, chips, openChips }: ToolFailure): readonly [GpioFault, string] {
  if (/resource busy/i.test(stderr)) {
    return ['gpio-line-busy', 'another program uses this line; `gpioinfo` names it, stop it first'];
  }
  if (chips === 0)
    return ['gpio-chip-missing', 'there is no /dev/gpiochip*: not a Raspberry Pi, or no driver'];
  if (openChips === 0 || /permission denied/i.test(stderr)) {
    return [
      'gpio-permission',
      'this user may not open /dev/gpiochip*: add it to the group gpio, then log in again',
    ];
  }
  if (/cannot find/i.test(stderr) || (program === 'gpiofind' && stderr === '')) {
    return ['gpio-line-missing', 'no line has this name; `gpioinfo` lists the names, such as GPIO17'];
  }
  if (/invalid argument/i.test(stderr) && major < 2) {
    return [
      'gpio-kernel-too-new',
      'libgpiod 1.6 cannot talk to this kernel; install libgpiod 2: apt-get install -t bookworm-backports gpiod',
    ];
  }
  if (/invalid (bias|argument)/i.test(stderr)) return ['gpio-setting', 'the chip refuses these settings'];
  return ['gpio-stopped', 'it is started again'];
}
