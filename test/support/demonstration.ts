import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { serviceFailure } from './service-failure.ts';
import { programArgs } from './service-process.ts';

/** Exit codes that tests expect: stopped, and a setting that cannot be used. */
const knownCodes: ReadonlySet<number | null> = new Set([0, 2]);

export type Demonstration = ReturnType<typeof startDemonstration>;

/**
 * `npx pnpm start` as a process, with a data folder of its own and ports that the system chooses. An end that the test did not
 * ask for, or an exception that is not caught, is an unhandled rejection: the run fails.
 */
export function startDemonstration(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, programArgs('demo'), {
    env: { ...process.env, MQTT_PORT: '0', HTTP_PORT: '0', NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const collect = (chunk: Buffer) => {
    output += chunk;
    child.emit('printed');
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const closed = once(child, 'close');
  let ended = false;
  void closed.then(([code, signal]) => {
    ended = true;
    child.emit('printed');
    const isExpected = child.killed || knownCodes.has(code);
    const failed = serviceFailure(output, { code, signal, isExpected });
    if (failed !== undefined) throw new Error(`npx pnpm start ${failed}: ${output}`);
  });
  return {
    child,
    /** Its output so far. */
    output: () => output,
    /** Resolves when its output matches; rejects when it ends before that. */
    printed: async (pattern: RegExp) => {
      for (;;) {
        const match = pattern.exec(output);
        if (match) return match;
        if (ended) throw new Error(`ended without printing ${pattern}: ${output}`);
        await once(child, 'printed');
      }
    },
    /** Sends Ctrl-C; resolves with the exit code. */
    interrupt: async () => {
      child.kill('SIGINT');
      await closed;
      return child.exitCode;
    },
    /** Kills only the supervisor; its processes must end without it. */
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
