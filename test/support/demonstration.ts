import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { serviceFailure } from './service-failure.ts';
import { programArgs } from './service-process.ts';

/** `npx pnpm start` as a process, with a data folder of its own and ports that the system chooses. */
export interface Demonstration {
  readonly child: ChildProcess;
  /** Its output so far. */
  output(): string;
  /** Resolves when its output matches; rejects when it ends before that. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Sends Ctrl-C; resolves with the exit code. */
  interrupt(): Promise<number | null>;
  /** Kills only the supervisor; its processes must end without it. */
  kill(): Promise<void>;
}

/** Exit codes that tests expect: stopped, and a setting that cannot be used. */
const knownCodes: ReadonlySet<number | null> = new Set([0, 2]);

/** An end that the test did not ask for, or an exception that is not caught, is an unhandled rejection: the run fails. */
export function startDemonstration(env: Readonly<Record<string, string>>): Demonstration {
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
    output: () => output,
    printed: async (pattern) => {
      for (;;) {
        const match = pattern.exec(output);
        if (match) return match;
        if (ended) throw new Error(`ended without printing ${pattern}: ${output}`);
        await once(child, 'printed');
      }
    },
    interrupt: async () => {
      child.kill('SIGINT');
      await closed;
      return child.exitCode;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
  };
}
