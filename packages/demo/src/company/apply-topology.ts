import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { programs } from '../processes/programs.ts';

/** Applies a topology file through the operator's command line, as an operator would. */
export async function applyTopology(topology: string, databaseUrl: string): Promise<void> {
  const child = spawn(process.execPath, [programs.admin, 'apply', '-', '--json'], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child.stdin.end(topology);
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`the demonstration company could not be set up: ${errors.trim()}`);
}
