import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { explainFailure } from './explain-failure.ts';
import { GpioError } from './gpio-error.ts';
import type { RunTool } from './gpio-tools.ts';

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
  if (code === 'ENOENT') return new GpioError('gpio-tools-missing', missing(program), { cause: error });
  return explainFailure({ program, major, stderr, ended: signal ?? code, ...(await chips()) });
}

function missing(program: string): string {
  return `${program} is not installed (apt-get install gpiod)`;
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
export async function chips(): Promise<{ chips: number; openChips: number }> {
  const devices = (await readdir('/dev')).filter((name) => name.startsWith('gpiochip'));
  const open = await Promise.all(
    devices.map((name) =>
      access(`/dev/${name}`, constants.R_OK | constants.W_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return { chips: devices.length, openChips: open.filter(Boolean).length };
}
