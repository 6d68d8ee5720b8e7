import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { serviceFailure } from '@visitor-counter/test/service-failure';

/** The most lines to report. */
const most = 20;

/** Log lines of services that only a bug can cause: uncaught exceptions, fatal errors. */
export async function findMistakes(logFolder: string, names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) {
    const lines = createInterface({ input: createReadStream(join(logFolder, `${name}.log`)) });
    for await (const line of lines) {
      const failure = serviceFailure(line, { code: null, signal: null, isExpected: true });
      if (failure !== undefined && found.length < most)
        found.push(`${name} ${failure}: ${line.slice(0, 1_000)}`);
    }
  }
  return found;
}
