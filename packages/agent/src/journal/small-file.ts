import type { FileSystem } from './file-system.ts';
import { isDiskError } from './journal-errors.ts';
import type { Retries } from './retries.ts';

/** A small file's value, or why there is none: no such file, invalid content, or a read error. */
export type SmallFile<Value> =
  | { readonly value: Value }
  | { readonly problem: 'missing' | 'wrong' }
  | { readonly problem: 'unreadable'; readonly cause: unknown };

/** Reads and parses a small file; `parse` returns undefined for invalid content. Rejects with errors other than disk errors. */
export function readSmallFile<Value>(
  files: FileSystem,
  path: string,
  parse: (text: string) => Value | undefined,
  retries: Retries,
): Promise<SmallFile<Value>> {
  const read = async (): Promise<SmallFile<Value>> => {
    try {
      const content = await files.read(path);
      if (content === undefined) return { problem: 'missing' };
      const value = parse(content.toString());
      return value === undefined ? { problem: 'wrong' } : { value };
    } catch (cause) {
      if (!isDiskError(cause)) throw cause;
      return { problem: 'unreadable', cause };
    }
  };
  return retries.until(read, (file) => {
    if (!('problem' in file) || file.problem === 'missing') return undefined;
    return file.problem === 'unreadable' ? 'failing' : 'wrong';
  });
}

/** The value of a JSON text that `check` accepts. */
export function parsedJson<Value>(
  text: string,
  check: (value: unknown) => value is Value,
): Value | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Writes a small file atomically, durable when this resolves. */
export async function writeDurably(
  files: FileSystem,
  directory: string,
  path: string,
  content: Buffer,
): Promise<void> {
  const temporary = `${path}.new`;
  const file = await files.create(temporary);
  try {
    await file.write(content, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await files.rename(temporary, path);
  await files.syncDirectory(directory);
}
