import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { FileSystem } from '../journal/file-system.ts';
import { writeDurably } from '../journal/segment.ts';

const RemoteState = Type.Object({
  revision: Type.Integer({ minimum: 0 }),
  settings: Type.Record(Type.String(), Type.Unknown()),
  commandsThrough: Type.Integer({ minimum: 0 }),
});

/** What a door keeps of what the gateway has told it. */
export type RemoteState = Static<typeof RemoteState>;

const remoteState = Compile(RemoteState);
const fileName = 'remote.json';
const nothingYet: RemoteState = { revision: 0, settings: {}, commandsThrough: 0 };

/** What is kept in a journal's folder; nothing where the file is missing or damaged: the gateway tells it again. */
export async function readRemoteState(files: FileSystem, folder: string): Promise<RemoteState> {
  const content = await files.read(join(folder, fileName));
  try {
    const value: unknown = JSON.parse(content?.toString() ?? '');
    return remoteState.Check(value) ? value : nothingYet;
  } catch {
    return nothingYet;
  }
}

export function writeRemoteState(files: FileSystem, folder: string, state: RemoteState): Promise<void> {
  return writeDurably(files, folder, join(folder, fileName), Buffer.from(JSON.stringify(state)));
}
