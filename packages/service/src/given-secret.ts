import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import { readNamedFile } from './files.ts';

/** Ways to pass a secret to a command. */
interface SecretOptions {
  /** The secret as an argument: every user of the machine can read it in the list of processes. */
  readonly value?: string | undefined;
  readonly file?: string | undefined;
  /** The option that names the file. */
  readonly setting?: string;
  /** The prompt at a terminal. */
  readonly prompt: string;
}

/**
 * A secret from the argument, from the first line of a file or its line `CODE=…`, or, without either, from
 * the first line of standard input, with a prompt at a terminal. Throws ConfigurationError for a file that
 * cannot be read.
 */
export async function givenSecret(
  { value, file, setting = '--code-file', prompt }: SecretOptions,
  { stdin, stderr }: Pick<NodeJS.Process, 'stdin' | 'stderr'>,
): Promise<string> {
  if (value !== undefined) return value;
  if (file !== undefined) return secretIn(String(await readNamedFile(setting, file)));
  if (stdin.isTTY) stderr.write(prompt);
  return firstLineOf(stdin);
}

/** The first line, trimmed; empty if there is none. Reads nothing more. */
export async function firstLineOf(stdin: Readable): Promise<string> {
  const lines = createInterface({ input: stdin });
  try {
    for await (const line of lines) return line.trim();
    return '';
  } finally {
    lines.close();
    stdin.destroy();
  }
}

/** The first line, or the value of `CODE` in a file of variables. */
function secretIn(text: string): string {
  return (/^CODE=(.*)$/m.exec(text)?.[1] ?? text.split('\n', 1)[0] ?? '').trim();
}
