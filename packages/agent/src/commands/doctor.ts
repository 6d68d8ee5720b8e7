import { styleText } from 'node:util';
import { examineDoor, examineUnit } from '../doctor/examine.ts';
import type { Finding } from '../doctor/finding.ts';
import { askOnce } from '../local/ask-agent.ts';

export interface DoctorOptions {
  readonly config: string;
}

const marks = { ok: ['green', '✔'], warn: ['yellow', '!'], fail: ['red', '✘'] } as const;

/**
 * Checks everything that a unit needs, and prints a line for each check, with advice below it if something is wrong. Exit
 * code 0; 1 if something prevents the unit from counting or delivering; 2 if the file cannot be used.
 */
export async function doctor({ config }: DoctorOptions, { env, stdout }: NodeJS.Process): Promise<number> {
  let verdict = 0;
  for await (const { what, verdict: mark, detail, advice } of examine(config, env)) {
    const [colour, sign] = marks[mark];
    const mended = advice === undefined ? '' : `\n  ${''.padEnd(14)}${styleText('bold', advice)}`;
    stdout.write(`${styleText(colour, sign)} ${what.padEnd(14)}${detail}${mended}\n`);
    if (mark === 'fail') verdict = what === 'configuration' ? 2 : 1;
  }
  return verdict;
}

async function* examine(file: string, env: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  const unit = yield* examineUnit(file, env);
  if (unit === undefined) return;
  for (const door of unit.doors) yield* examineDoor(door, unit, env, await askOnce(door.journal));
}
