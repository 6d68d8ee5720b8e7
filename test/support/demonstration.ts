import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { programFile } from './service-process.ts';

/** `npx pnpm start` as a process, with a data folder of its own and ports that the system chooses. */
export interface Demonstration {
  readonly child: ChildProcess;
  /** Everything it printed so far. */
  output(): string;
  /** Settles when what it printed matches; rejects when it ends before that. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ctrl-C; gives the exit code. */
  interrupt(): Promise<number | null>;
  /** A power cut of the supervisor alone: its processes are left to themselves. */
  kill(): Promise<void>;
}

export function startDemonstration(env: Readonly<Record<string, string>>): Demonstration {
  const child = spawn(process.execPath, [programFile('demo')], {
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
  closed.then(() => {
    ended = true;
    child.emit('printed');
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
