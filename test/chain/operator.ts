import { spawn } from 'node:child_process';
import { resultOf } from '@visitor-counter/test/result-of';
import { programArgs } from '@visitor-counter/test/service-process';

/** Runs a command of the operator in a process of its own. */
export async function operator(url: string, args: readonly string[]) {
  const child = spawn(process.execPath, [...programArgs('admin'), ...args], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return resultOf(child);
}
