import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { FileSystem } from './file-system.ts';
import { writeDurably } from './segment.ts';

const Acknowledged = Type.Object({
  journal: Type.String(),
  through: Type.Integer({ minimum: 0 }),
  at: Type.Integer({ minimum: 0 }),
});

/** Through which sequence the server has stored a journal, and the instant of that crossing (epoch ms). */
export type Acknowledged = Static<typeof Acknowledged>;

const acknowledged = Compile(Acknowledged);
const fileName = 'acknowledged.json';

/**
 * The acknowledged position as it was last stored; undefined when the file is missing or unreadable, which
 * costs no more than sending again what is still there.
 */
export async function readAcknowledged(
  files: FileSystem,
  directory: string,
): Promise<Acknowledged | undefined> {
  const content = await files.read(join(directory, fileName));
  try {
    const value: unknown = JSON.parse(content?.toString() ?? '');
    return acknowledged.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function writeAcknowledged(
  files: FileSystem,
  directory: string,
  position: Acknowledged,
): Promise<void> {
  return writeDurably(files, directory, join(directory, fileName), Buffer.from(JSON.stringify(position)));
}
