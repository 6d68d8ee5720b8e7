import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Environment } from '@visitor-counter/service/settings/environment';
import { OperatorError } from './operator-error.ts';

/** Everything a command uses of its process. */
export interface CommandContext {
  readonly env: Environment;
  /** File arguments are relative to this folder. */
  readonly folder: string;
  readonly input: Readable;
  /** Writes lines to standard output. */
  readonly print: (text: string) => void;
  /** Writes lines to standard error. */
  readonly printError: (text: string) => void;
}

/** The context of this process. pnpm runs scripts in the repository; INIT_CWD is the folder of the operator. */
export function processContext(): CommandContext {
  return {
    env: process.env,
    folder: process.env['INIT_CWD'] || process.cwd(),
    input: process.stdin,
    print: console.log,
    printError: console.error,
  };
}

/** Asks the operator for confirmation. Throws OperatorError not-confirmed unless the answer is "yes". */
export async function confirm({ print, input }: CommandContext, question: string): Promise<void> {
  print(`${question} Type yes to continue:`);
  const lines = createInterface({ input });
  try {
    for await (const line of lines) {
      if (line.trim().toLowerCase() === 'yes') return;
      break;
    }
  } finally {
    lines.close();
  }
  throw new OperatorError('not-confirmed', 'not confirmed: nothing was changed');
}
