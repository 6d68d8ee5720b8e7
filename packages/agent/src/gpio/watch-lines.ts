import { textLines } from '../async/text-lines.ts';
import { type LineEdge, parseEdge } from './libgpiod.ts';
import { startTool, type ToolCommand } from './run-tool.ts';

/**
 * Runs `gpiomon` as a child process until `signal` aborts. Returns an empty batch when its banner shows that it watches the
 * lines, and then its edges, a batch per piece of output. Throws GpioError if the program ends or prints something else.
 */
export async function* watchLines(
  command: ToolCommand,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): AsyncGenerator<readonly LineEdge[], void, undefined> {
  if (signal.aborted) return;
  const { child, ended } = startTool(command, env);
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  let isWatching = false;
  try {
    for await (const lines of textLines(child.stdout)) {
      if (!isWatching && lines.length > 0) {
        isWatching = true;
        yield [];
      }
      const edges = lines.flatMap((line) => parseEdge(line) ?? []);
      if (edges.length > 0) yield edges;
    }
    const error = await ended;
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
    await ended;
  }
}
