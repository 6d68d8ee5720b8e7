import { spawn } from 'node:child_process';
import { resultOf } from './result-of.ts';
import { programArgs } from './service-process.ts';

/** Runs the operator's command line and returns its output; throws when it fails. */
export async function runAdmin(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<string> {
  const child = spawn(process.execPath, [...programArgs('admin'), ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const { out, err, code } = await resultOf(child);
  if (code !== 0) throw new Error(`admin ${args.join(' ')} failed (${code}): ${err}`);
  return out;
}

/** Applies a topology document and returns the parsed `--json` report. */
export async function applyFile(topology: string, env: Readonly<Record<string, string>>): Promise<unknown> {
  return JSON.parse(await runAdmin(['apply', '-', '--json'], env, topology));
}
