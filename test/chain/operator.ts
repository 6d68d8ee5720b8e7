import { spawn } from 'node:child_process';
import { resultOf } from '@visitor-counter/test/result-of';
import { programArgs } from '@visitor-counter/test/service-process';

/** Runs a command of the operator in a process of its own; `killAt` kills it when it has printed this text. */
export async function operator(url: string, args: readonly string[], killAt?: string) {
  const child = spawn(process.execPath, [...programArgs('admin'), ...args], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.on('data', (chunk) => {
    if (killAt !== undefined && String(chunk).includes(killAt)) child.kill('SIGKILL');
  });
  return resultOf(child);
}

/** Takes a backup into a folder and returns its file; throws with what the command printed if it fails. */
export async function backUpInto(url: string, folder: string): Promise<string> {
  const { code, out, err } = await operator(url, ['backup', '--to', folder, '--json']);
  if (code !== 0) throw new Error(`backup ended with ${code}: ${out}${err}`);
  return String(JSON.parse(out).file);
}

/** Restores a backup and returns what the command printed as JSON; throws if it fails. */
export async function restoreFrom(url: string, file: string): Promise<Record<string, unknown>> {
  const { code, out, err } = await operator(url, ['restore', file, '--json']);
  if (code !== 0) throw new Error(`restore ended with ${code}: ${out}${err}`);
  return JSON.parse(out);
}
