import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { textLines } from '../async/text-lines.ts';
import type { LineEdge, MonitorCommand, ToolCommand } from './gpio-tools.ts';
import { toolFailed } from './run-tool.ts';

/** Part of every Debian: kills its child when its parent ends. */
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
async function endOf(child: ChildProcess & { stderr: NodeJS.ReadableStream }): Promise<Error> {
  const stderr = text(child.stderr);
  try {
    const [code, signal] = await once(child, 'close');
    return Object.assign(new Error('ended'), { code, signal, stderr: await stderr });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
