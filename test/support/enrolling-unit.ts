import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { programArgs } from './service-process.ts';

/** A command of the agent in a process of its own. */
export interface Enrolling {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly printed: string }>;
}

/** Starts `agent enrol` with these options. */
export function startEnrolling(config: string, ...options: string[]): Enrolling {
  return startEnrollingWith({}, config, ...options);
}

/** The same with environment variables. */
export function startEnrollingWith(
  env: Readonly<Record<string, string>>,
  config: string,
  ...options: string[]
): Enrolling {
  return startCommand(env, 'enrol', '--config', config, ...options);
}

/** Starts a command of the agent. */
export function startCommand(env: Readonly<Record<string, string>>, ...args: string[]): Enrolling {
  const child = spawn(process.execPath, [...programArgs('agent'), ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return {
    child,
    ended: ended.then(([out, err]) => ({ code: child.exitCode, printed: out + err })),
  };
}
