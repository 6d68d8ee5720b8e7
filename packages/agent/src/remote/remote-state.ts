import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { FileSystem } from '../journal/file-system.ts';
import { writeDurably } from '../journal/segment.ts';

const KnownCommand = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  state: Type.Union([Type.Literal('running'), Type.Literal('done'), Type.Literal('failed')]),
  problem: Type.Optional(Type.String()),
});

export type KnownCommand = Static<typeof KnownCommand>;

const RemoteState = Type.Object({
  revision: Type.Integer({ minimum: 0 }),
  settings: Type.Record(Type.String(), Type.Unknown()),
  /** The commands received last, newest first. */
  commands: Type.Array(KnownCommand),
});

/** What a door remembers of the gateway's orders. */
export type RemoteState = Static<typeof RemoteState>;

const remoteState = Compile(RemoteState);
const fileName = 'remote.json';
const nothingYet: RemoteState = { revision: 0, settings: {}, commands: [] };

/** The state in a journal's folder; empty if the file is missing or damaged: the gateway sends its orders again. */
export async function readRemoteState(files: FileSystem, folder: string): Promise<RemoteState> {
  const content = await files.read(join(folder, fileName));
  try {
    const value: unknown = { ...nothingYet, ...JSON.parse(content?.toString() ?? '') };
    return remoteState.Check(value) ? value : nothingYet;
  } catch {
    return nothingYet;
  }
}

export function writeRemoteState(files: FileSystem, folder: string, state: RemoteState): Promise<void> {
  return writeDurably(files, folder, join(folder, fileName), Buffer.from(JSON.stringify(state)));
}
