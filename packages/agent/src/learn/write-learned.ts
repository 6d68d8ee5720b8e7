import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { parseDocument } from 'yaml';
import type { GpioBeamsConfig, GpioLineConfig } from '../config/beams-config.ts';
import type { Learned } from './learn-lines.ts';

/** The beams as they were learned: `a` on the street side, levels the right way round. */
export function learnedBeams({ a, b }: Required<Pick<GpioBeamsConfig, 'a' | 'b'>>, learned: Learned) {
  const asFound = {
    a: { line: a.line, activeLow: learned.activeLow.a },
    b: { line: b.line, activeLow: learned.activeLow.b },
  };
  return learned.swapped ? { a: asFound.b, b: asFound.a } : asFound;
}

/**
 * Writes the lines of one door into the configuration file, and preserves its comments; the new file
 * replaces the old one atomically. `index` is the position of the door, 0 if the file has one door at its top level.
 */
export async function writeLearned(
  file: string,
  index: number,
  beams: Readonly<Record<'a' | 'b', GpioLineConfig>>,
): Promise<void> {
  const document = parseDocument(await readFile(file, 'utf8'));
  const path = document.has('doors') ? ['doors', index, 'beams'] : ['beams'];
  for (const line of ['a', 'b'] as const) {
    document.setIn([...path, line, 'line'], beams[line].line);
    document.setIn([...path, line, 'activeLow'], beams[line].activeLow);
  }
  const { mode } = await stat(file);
  const next = `${file}.new`;
  await writeFile(next, document.toString(), { mode });
  await rename(next, file);
}
