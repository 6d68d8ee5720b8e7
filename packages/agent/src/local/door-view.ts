import type { Crossing } from '@visitor-counter/domain/crossing';
import type { Detector } from '../detector/detector.ts';
import type { Flickering } from '../detector/flicker.ts';
import type { Facts } from '../detector/path.ts';
import { version } from '../machine/machine-state.ts';
import type { Door } from '../recording/door.ts';

/** The state of a door that a running agent reports to commands on the same machine. */
export interface DoorView {
  readonly serial: string;
  readonly beams: Detector['beams'];
  /** The beams that the path that ended last broke, in order; empty before the first. */
  readonly lastPath: string;
  /** Counted since the start. */
  readonly in: number;
  readonly out: number;
  /** Clearly more people went out than had come in since the start. */
  readonly directionDoubtful: boolean;
  readonly last?: Crossing | undefined;
  /** The facts that were detected in addition to crossings. */
  readonly facts: Facts;
  /** Why the lines are not read. */
  readonly problem?: string | undefined;
  /** The beam that flickers, or `door` if both do. */
  readonly flickering?: Flickering | undefined;
  readonly lostEdges?: number | undefined;
  /** Why the machine's clock does not determine the times of crossings, in words. */
  readonly clockProblem?: string | undefined;
  /** The state of journal and connection. */
  readonly delivery: {
    readonly recorded: number;
    readonly acknowledged: number;
    /** Crossings that only memory has, in addition to `recorded`, and that are not acknowledged. */
    readonly held: number;
    /** Crossings that are not acknowledged, of all journals. */
    readonly pending: number;
    /** Crossings that could not be read from the disk, and are declared lost. */
    readonly lost: number;
    /** Some crossings get their instants when the clock is set. */
    readonly waitsForClock: boolean;
    /** Why crossings cannot be stored, or soon cannot, in words. */
    readonly storage?: string | undefined;
    /** Crossings since the start for which there was no room even in memory. */
    readonly givenUp: number;
    readonly connected: boolean;
    /** Why the last connection ended. */
    readonly failure?: string | undefined;
    readonly uptime: number;
    readonly version: string;
  };
}

/** The state of a door. */
export function viewOf({ config, clock, beams, detector, tally, journal, uplink }: Door): DoorView {
  const { health } = beams;
  return {
    serial: config.serial,
    beams: detector.beams,
    lastPath: detector.lastPath,
    in: tally.in,
    out: tally.out,
    directionDoubtful: tally.isDirectionDoubtful,
    last: tally.last,
    facts: detector.facts,
    problem: health?.problem,
    flickering: detector.flickering,
    lostEdges: health?.lostEdges,
    clockProblem: clockProblemOf(clock),
    delivery: {
      recorded: journal.recorded,
      acknowledged: journal.acknowledged,
      held: journal.held,
      pending: journal.pending,
      lost: journal.lost.reduce((sum, [, first, last]) => sum + last - first + 1, 0),
      waitsForClock: journal.hasUndated,
      storage: journal.storageProblem?.message,
      givenUp: tally.givenUp,
      connected: uplink.connected,
      failure: uplink.connected ? undefined : uplink.failure,
      uptime: Math.floor(process.uptime()),
      version,
    },
  };
}

function clockProblemOf({ changedBy }: Door['clock']): string | undefined {
  if (changedBy === 0) return undefined;
  const seconds = Math.round(Math.abs(changedBy) / 1_000);
  const direction = changedBy > 0 ? 'forward' : 'back';
  return `the clock was set ${direction} by ${seconds} s while the agent ran; the agent continues with the time from before`;
}
