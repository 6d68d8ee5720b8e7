import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { programArgs } from './service-process.ts';

/** Commands that load a whole program and end without doing anything. */
const commands = [
  ['agent', 'run', '--config', '/nonexistent'],
  ['gateway'],
  ['api'],
  ['alerts'],
  ['admin', '--help'],
] as const;

/**
 * Fills the compile cache (`NODE_COMPILE_CACHE`) when it does not exist. Node writes the cache when a process exits, so
 * programs that tests kill would compile their sources at every start of the first test run.
 */
export async function setup(): Promise<void> {
  const folder = process.env['NODE_COMPILE_CACHE'];
  if (folder === undefined || existsSync(folder)) return;
  await Promise.all(
    commands.map(([program, ...args]) => {
      const env = { ...process.env, DATABASE_URL: 'none' };
      return once(
        spawn(process.execPath, [...programArgs(program), ...args], { env, stdio: 'ignore' }),
        'close',
      );
    }),
  );
}
