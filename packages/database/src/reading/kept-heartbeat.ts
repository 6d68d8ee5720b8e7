import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** What the interface shows of a heartbeat, in the form in which the gateway keeps it. */
const KeptHeartbeat = Type.Object({
  at: Type.Number(),
  uptime: Type.Optional(Type.Number()),
  version: Type.Optional(Type.String()),
  recorded: Type.Optional(Type.Number()),
  acknowledged: Type.Optional(Type.Number()),
  clock: Type.Optional(Type.Union([Type.Literal('synced'), Type.Literal('unsynced')])),
  beams: Type.Optional(
    Type.Array(
      Type.Object({ name: Type.String(), state: Type.String(), since: Type.Number(), breaks: Type.Number() }),
    ),
  ),
  cpuTemperature: Type.Optional(Type.Number()),
  diskFree: Type.Optional(Type.Number()),
  lost: Type.Optional(Type.Array(Type.Tuple([Type.String(), Type.Number(), Type.Number()]))),
});

export type Heartbeat = Static<typeof KeptHeartbeat>;

const kept = Compile(KeptHeartbeat);

/** Reads a heartbeat as it is kept; undefined where there is none. */
export function readHeartbeat(value: unknown): Heartbeat | undefined {
  return kept.Check(value) ? value : undefined;
}
