import type { Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import type { Beams } from '../beams/beams.ts';
import type { UnitClock } from '../clock/unit-clock.ts';
import type { CrossingDetector } from '../detector/crossing-detector.ts';
import type { Journal } from '../journal/journal.ts';
import { rangesToReport } from '../journal/lost-ranges.ts';
import type { MachineState } from '../machine/machine-state.ts';
import type { Tally } from '../recording/progress.ts';
import type { RemoteAnswers } from '../remote/remote-control.ts';

export interface Reported {
  readonly journal: Journal;
  readonly tally: Tally;
  /** The results of the server's commands and settings. */
  readonly answers: RemoteAnswers;
  readonly beams: Pick<Beams, 'stampClock' | 'health'>;
  readonly detector: Pick<CrossingDetector, 'beams' | 'facts'>;
  readonly machine: MachineState;
  readonly version: string;
  readonly clock: Pick<UnitClock, 'synced' | 'bootTime' | 'now' | 'place'>;
  /** Seconds since the agent's start. */
  readonly uptime: number;
  /** The number of earlier heartbeats. */
  readonly turn: number;
}

/** The most ranges of lost sequences in one heartbeat, since a message has a bounded size. */
const mostLost = 200;

/**
 * The unit's report about itself. Fields in addition to those of the wire: `paths`, what was detected in addition to
 * crossings; `lines`, the state of real lines; `alone` and `blockedMs` of each beam.
 */
export function heartbeatOf({
  journal,
  tally,
  answers,
  beams,
  detector,
  machine,
  version,
  clock,
  uptime,
  turn,
}: Reported): Heartbeat {
  const lost = rangesToReport(journal.lost, journal.acknowledged, turn, mostLost);
  const observed = { paths: detector.facts, ...(beams.health && { lines: beams.health }) };
  return {
    at: clock.now(),
    uptime: Math.round(uptime),
    version,
    journal: journal.id,
    recorded: journal.recorded,
    acknowledged: journal.acknowledged,
    /* The edges of a recording have their own instants and need no clock. */
    clock: clock.synced || beams.stampClock === 'epoch' ? 'synced' : 'unsynced',
    beams: Object.entries(detector.beams).map(([name, beam]) => ({
      name,
      ...beam,
      since: clock.place(beam.since, beams.stampClock).at,
    })),
    ...machine,
    ...(lost.length > 0 && { lost: lost.map(([first, last]) => [journal.id, first, last]) }),
    ...answers,
    ...storageOf(journal, tally),
    ...observed,
  };
}

function storageOf({ storageProblem, held, volatile }: Journal, { givenUp }: Tally): Partial<Heartbeat> {
  const { id: journal, recorded, acknowledged } = volatile;
  return {
    ...(storageProblem !== undefined && { storage: storageProblem }),
    ...(held > 0 && { held }),
    ...(recorded > 0 && { volatile: { journal, recorded, acknowledged } }),
    ...(givenUp > 0 && { givenUp }),
  };
}
