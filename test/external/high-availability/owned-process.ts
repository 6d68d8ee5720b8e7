import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { SystemUser } from '@visitor-counter/database/embedded/data-folder';
import { codeOf } from '@visitor-counter/service/errors';

/** Who runs the programs of a machine, and where they write. */
export interface Place {
  readonly folder: string;
  /** Undefined if the test does not run as root. */
  readonly user: SystemUser | undefined;
}

/** Starts a program of Debian with a process group of its own; its output goes to a file in the folder. */
export function startProgram(
  { folder, user }: Place,
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const log = openSync(join(folder, `${basename(program)}.log`), 'a');
  return spawn(program, args, {
    ...user,
    cwd: folder,
    detached: true,
    env: { PATH: `${process.env['PATH']}:/usr/sbin`, LANG: 'C.UTF-8', HOME: folder, ...env },
    stdio: ['ignore', log, log],
  });
}

/** Kills a program and the processes of its group, as a power cut would. */
export async function killProgram(child: ChildProcess | undefined): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  signalAll([-child.pid], 'SIGKILL');
  await closed;
}

/** A process and its children; empty if there is none. */
export async function familyOf(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => undefined);
  if (children === undefined) return [];
  /* Number('') is 0, and process 0 means all processes of this process group. */
  return [
    pid,
    ...children
      .split(' ')
      .map(Number)
      .filter((child) => child > 1),
  ];
}

/** Sends a signal to processes of which some may have ended. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (codeOf(error) !== 'ESRCH') throw error;
    }
  }
}
