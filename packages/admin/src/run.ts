import { inspect } from 'node:util';
import { ConfigurationError } from '@visitor-counter/service/configuration-error';
import { CommanderError } from 'commander';
import type { Surroundings } from './context/context.ts';
import { OperatorError } from './context/operator-error.ts';
import { createProgram } from './program.ts';
import { InvalidFileError } from './topology/file/problem.ts';

/**
 * Runs one command and returns the exit code: 0 done, 1 failed, 2 wrong usage, file or setting. What went
 * wrong is on standard error.
 */
export async function run(args: readonly string[], around: Surroundings): Promise<number> {
  try {
    await createProgram(around).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.code === 'commander.help' || error.exitCode > 0 ? 2 : 0;
    around.complain(explain(error));
    return error instanceof ConfigurationError || error instanceof InvalidFileError ? 2 : 1;
  }
}

/** A message for what an operator can act on; the whole error for what only its authors can. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error);
  if (error instanceof OperatorError || error instanceof ConfigurationError) return error.message;
  if (error instanceof InvalidFileError) return error.message;
  if (!('code' in error)) return inspect(error);
  return `the database cannot be used: ${error.message || error.code}`;
}
