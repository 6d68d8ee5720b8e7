import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parsedJson } from '@visitor-counter/domain/parsed-json';
import { writeAtomically } from '@visitor-counter/service/files';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';

const RemoteState = Type.Object({
  revision: Type.Integer({ minimum: 0 }),
  settings: Type.Record(Type.String(), Type.Unknown()),
  /** The ids of executed commands `restart`, the newest first. */
  restarts: Type.Array(Type.Integer()),
});

/** What a door must remember of the gateway's orders. */
export type RemoteState = Static<typeof RemoteState>;

const remoteState = Compile(RemoteState);
const fileName = 'remote.json';
const nothingYet: RemoteState = { revision: 0, settings: {}, restarts: [] };

/** The state in a journal's folder; empty if the file is missing or cannot be read: the gateway sends its orders again. */
export async function readRemoteState(folder: string): Promise<RemoteState> {
  const text = await readFile(join(folder, fileName), 'utf8').catch(() => '');
  const value = parsedJson(text);
  return remoteState.Check(value) ? value : nothingYet;
}

/** Stores the state durably. Rejects with the error of the disk. */
export function writeRemoteState(folder: string, state: RemoteState): Promise<void> {
  return writeAtomically(join(folder, fileName), JSON.stringify(state));
}
