import { createInterface } from 'node:readline';
import type { Surroundings } from './context.ts';
import { OperatorError } from './operator-error.ts';

/** Asks the operator for confirmation. Throws OperatorError not-confirmed unless the answer is "yes". */
export async function confirm({ print, input }: Surroundings, question: string): Promise<void> {
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
