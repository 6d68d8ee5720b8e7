import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { type Release, thisRelease } from './release.ts';
import { programArgs } from './service-process.ts';

/** Runs the operator's command line and returns its output; throws when it fails. */
export async function runAdmin(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
  release: Release = thisRelease,
): Promise<string> {
  const child = spawn(process.execPath, [...programArgs('admin', release), ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new Error(`admin ${args.join(' ')} failed (${code}): ${errors}`);
  return output;
}

/** Applies a topology document and returns the parsed `--json` report. */
export async function applyFile(
  topology: string,
  env: Readonly<Record<string, string>>,
  release?: Release,
): Promise<unknown> {
  return JSON.parse(await runAdmin(['apply', '-', '--json'], env, topology, release));
}
