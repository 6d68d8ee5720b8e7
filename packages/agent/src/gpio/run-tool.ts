import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';

type GpioFault =
  | 'gpio-tools-missing'
  | 'gpio-tools-old'
  | 'gpio-chip-missing'
  | 'gpio-permission'
  | 'gpio-line-missing'
  | 'gpio-line-busy'
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

/** A program to be run as a child process. */
export interface ToolCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/** A tool that has not ended after this time (ms) hangs. */
const longestRun = 30_000;

/** Runs a tool, which is found by the PATH of the environment, to its end. Returns its output. Throws GpioError. */
export async function runTool(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<string> {
  try {
    const options = { env, timeout: longestRun, encoding: 'utf8' as const };
    return (await promisify(execFile)(program, [...args], options)).stdout;
  } catch (error) {
    throw await toolFailed(program, error);
  }
}

/** Part of every Debian: runs a program that the kernel kills when the parent process ends. */
const setpriv = '/usr/bin/setpriv';

/** The most characters of the standard error that are kept, the last ones: a tool may print for months. */
const longestError = 2_000;

/**
 * Starts a long-running tool; `ended` resolves with its error when it has ended. If this process is killed, the kernel kills
 * the tool as well; otherwise the tool would occupy its lines at the next start.
 */
export function startTool({ program, args }: ToolCommand, env: NodeJS.ProcessEnv) {
  const wrapped = existsSync(setpriv);
  const child = spawn(
    wrapped ? setpriv : program,
    wrapped ? ['--pdeathsig', 'KILL', program, ...args] : [...args],
    { env, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-longestError);
  });
  const ended = once(child, 'close').then(
    ([code, signal]) => toolFailed(program, Object.assign(new Error('ended'), { code, signal, stderr })),
    (error: unknown) => toolFailed(program, error),
  );
  return { child, ended };
}

/** The error of a tool that failed, from the error of its process. */
async function toolFailed(program: string, error: unknown): Promise<GpioError> {
  const { code, signal, stderr } = processEnd(error);
  if (code === 'ENOENT' || /failed to execute/.test(stderr)) {
    const advice = 'install libgpiod 2: apt-get install gpiod';
    return new GpioError('gpio-tools-missing', `${program} is not installed`, advice, { cause: error });
  }
  return explainFailure({ program, stderr, ended: signal ?? code, ...(await chips()) });
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

/** How a tool of libgpiod ended, and which GPIO chips the machine has. */
interface ToolFailure {
  readonly program: string;
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

/** A line is reported as missing if the chip may not be opened, so the chips are checked first. */
function diagnose({ stderr, chips, openChips }: ToolFailure): readonly [GpioFault, string] {
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
  if (/cannot find/i.test(stderr)) {
    return ['gpio-line-missing', 'no line has this name; `gpioinfo` lists the names, such as GPIO17'];
  }
  if (/invalid (bias|argument)/i.test(stderr)) return ['gpio-setting', 'the chip refuses these settings'];
  return ['gpio-stopped', 'it is started again'];
}
