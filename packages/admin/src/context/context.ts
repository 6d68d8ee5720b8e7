import type { Readable } from 'node:stream';
import type { Environment } from '@visitor-counter/service/environment';

/** What a command finds around it. */
export interface Surroundings {
  readonly env: Environment;
  /** Where file arguments are relative to. */
  readonly folder: string;
  readonly input: Readable;
  /** Writes a line, or several, to standard output: what was asked for. */
  readonly print: (text: string) => void;
  /** Writes a line, or several, to standard error: what went wrong. */
  readonly complain: (text: string) => void;
}

/** Those of this process. pnpm runs scripts in the repository and tells in INIT_CWD where the operator stands. */
export function processSurroundings(): Surroundings {
  return {
    env: process.env,
    folder: process.env['INIT_CWD'] || process.cwd(),
    input: process.stdin,
    print: console.log,
    complain: console.error,
  };
}
