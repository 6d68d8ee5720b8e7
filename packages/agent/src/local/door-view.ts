import Type, { type Static } from 'typebox';
import type { Beams } from '../beams/beams.ts';
import type { Detector } from '../detector/detector.ts';
import type { Journal } from '../journal/journal.ts';
import { version } from '../machine/machine-state.ts';
import type { Tally } from '../recording/door-reports.ts';
import type { Uplink } from '../uplink/uplink.ts';

const Count = Type.Integer({ minimum: 0 });

const Beam = Type.Object({
  broken: Type.Optional(Type.Boolean()),
  state: Type.Enum(['clear', 'blocked']),
  breaks: Count,
  alone: Count,
  blockedMs: Type.Number(),
});

/** The state of a door that a running agent reports to commands on the same machine. */
export const DoorView = Type.Object({
  serial: Type.String(),
  beams: Type.Object({ a: Type.Optional(Beam), b: Type.Optional(Beam) }),
  /** The phase of the path under the beams, in a few words. */
  phase: Type.String(),
  /** The beams that the path that ended last broke, in order; empty before the first. */
  lastPath: Type.String(),
  /** Counted since the start. */
  in: Count,
  out: Count,
  /** Clearly more people went out than had come in since the start. */
  directionDoubtful: Type.Optional(Type.Boolean()),
  last: Type.Optional(Type.Object({ at: Type.Number(), direction: Type.Enum([1, -1]) })),
  /** The facts that were detected in addition to crossings. */
  facts: Type.Record(Type.String(), Count),
  /** Why the lines are not read. */
  problem: Type.Optional(Type.String()),
  /** The beam that flickers, or `door` if both do. */
  flickering: Type.Optional(Type.Enum(['a', 'b', 'door'])),
  lostEdges: Type.Optional(Count),
  restarts: Type.Optional(Count),
  /** The state of journal and connection; missing if no agent runs. */
  delivery: Type.Optional(
    Type.Object({
      recorded: Count,
      acknowledged: Count,
      /** Crossings that only memory has, in addition to `recorded`, and that are not acknowledged. */
      held: Type.Optional(Count),
      /** Why crossings cannot be stored, or soon cannot, in words. */
      storage: Type.Optional(Type.String()),
      /** Crossings since the start for which there was no room even in memory. */
      givenUp: Type.Optional(Count),
      connected: Type.Boolean(),
      /** Why the last connection ended. */
      failure: Type.Optional(Type.String()),
      uptime: Count,
      version: Type.String(),
    }),
  ),
});

export type DoorView = Static<typeof DoorView>;

/** A door; one that is read only for `watch` has neither a journal nor a connection. */
interface Watched {
  readonly serial: string;
  readonly beams: Beams;
  readonly detector: Detector;
  readonly tally: Tally;
  readonly journal?: Pick<Journal, 'recorded' | 'acknowledged' | 'held' | 'storageProblem'>;
  readonly uplink?: Pick<Uplink, 'connected' | 'failure'>;
}

/** The state of a door. */
export function viewOf({ serial, beams, detector, tally, journal, uplink }: Watched): DoorView {
  const { health } = beams;
  return {
    serial,
    beams: detector.beams,
    phase: detector.phase,
    lastPath: detector.lastPath,
    in: tally.in,
    out: tally.out,
    ...(tally.isDirectionDoubtful && { directionDoubtful: true }),
    ...(tally.last && { last: tally.last }),
    facts: { ...detector.facts },
    ...(health?.problem !== undefined && { problem: health.problem }),
    ...(detector.flickering && { flickering: detector.flickering }),
    ...(health && { lostEdges: health.lostEdges, restarts: health.restarts }),
    ...(journal && uplink && { delivery: deliveryOf(journal, uplink, tally) }),
  };
}

function deliveryOf(
  { recorded, acknowledged, held, storageProblem }: NonNullable<Watched['journal']>,
  { connected, failure }: NonNullable<Watched['uplink']>,
  { givenUp }: Tally,
): NonNullable<DoorView['delivery']> {
  return {
    recorded,
    acknowledged,
    ...(held > 0 && { held }),
    ...(storageProblem && { storage: storageProblem.message }),
    ...(givenUp > 0 && { givenUp }),
    connected,
    ...(failure !== undefined && !connected && { failure }),
    uptime: Math.floor(process.uptime()),
    version,
  };
}
