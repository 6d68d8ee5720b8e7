import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { FileSystem, OpenFile } from './file-system.ts';
import { asNoRoom, NoRoom } from './no-room.ts';
import { isUnreadable } from './read-around.ts';
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
  try {
    const content = await files.read(join(directory, fileName));
    const value: unknown = JSON.parse(content?.toString() ?? '');
    return acknowledged.Check(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || isUnreadable(error)) return undefined;
    throw error;
  }
}

/**
 * Stores the position. On a full disk it is written over in place, for which there is always room: what a cut
 * tears there costs only sending again, while a position that cannot be stored would keep a full disk full.
 */
export async function writeAcknowledged(
  files: FileSystem,
  directory: string,
  position: Acknowledged,
): Promise<void> {
  const path = join(directory, fileName);
  const content = Buffer.from(JSON.stringify(position));
  try {
    await writeDurably(files, directory, path, content);
  } catch (error) {
    if (!(asNoRoom(error) instanceof NoRoom)) throw error;
    await overwrite(await files.open(path), content);
  }
}

async function overwrite(file: OpenFile, content: Buffer): Promise<void> {
  try {
    await file.write(content, 0);
    await file.truncate(content.length);
    await file.sync();
  } finally {
    await file.close();
  }
}
