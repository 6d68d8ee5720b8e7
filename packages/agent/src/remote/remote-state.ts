import { join } from 'node:path';
import { CommandMessage } from '@visitor-counter/wire/gateway-messages';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { FileSystem } from '../journal/file-system.ts';
import { writeDurably } from '../journal/file-system.ts';

const Sequence = Type.Integer({ minimum: 0 });

/** Which sequences of which journal a resend still has to send. */
const ResendRange = Type.Object({ journal: Type.String(), next: Sequence, last: Sequence });

/** A command that the unit has received. All fields after `state` but `problem` are about a resend. */
const KnownCommand = Type.Object({
  order: CommandMessage,
  state: Type.Union([Type.Literal('running'), Type.Literal('done'), Type.Literal('failed')]),
  sent: Type.Optional(Sequence),
  total: Type.Optional(Sequence),
  /** Sequences that the unit no longer has, in order. */
  missing: Type.Optional(Type.Array(Type.Tuple([Sequence, Sequence]))),
  problem: Type.Optional(Type.String()),
  range: Type.Optional(ResendRange),
});

export type KnownCommand = Static<typeof KnownCommand>;

const RemoteState = Type.Object({
  revision: Type.Integer({ minimum: 0 }),
  settings: Type.Record(Type.String(), Type.Unknown()),
  /** The newest first. */
  commands: Type.Array(KnownCommand),
});

/** The settings and commands that a unit has received from the gateway. */
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
  return writeDurably(files, join(folder, fileName), Buffer.from(JSON.stringify(state)));
}
