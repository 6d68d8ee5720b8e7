import { readFile } from 'node:fs/promises';

const folder = new URL('../../../docs/high-availability/', import.meta.url);

/**
 * A file of docs/high-availability as an operator completes it: with names, addresses and passwords, and here also with
 * other folders. Throws if the file does not contain one of the texts to replace.
 */
export async function completed(file: string, replaced: Readonly<Record<string, string>>): Promise<string> {
  let text = await readFile(new URL(file, folder), 'utf8');
  for (const [from, to] of Object.entries(replaced)) {
    if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

/** The variables of a file with a NAME=value in each line. */
export function variablesOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => /^[A-Z]/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
