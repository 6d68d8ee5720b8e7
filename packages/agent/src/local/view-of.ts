import type { Beams } from '../beams/beams.ts';
import type { CrossingDetector } from '../detector/crossing-detector.ts';
import type { Journal } from '../journal/journal.ts';
import { version } from '../machine/machine-state.ts';
import type { Tally } from '../recording/progress.ts';
import type { Uplink } from '../uplink/uplink.ts';
import type { DoorView } from './door-view.ts';

export interface Watched {
  readonly serial: string;
  readonly beams: Beams;
  readonly detector: CrossingDetector;
  readonly tally: Tally;
}

export interface WatchedDoor extends Watched {
  readonly journal: Pick<Journal, 'recorded' | 'acknowledged' | 'held' | 'storageProblemText'>;
  readonly uplink: Pick<Uplink, 'connected' | 'failure'>;
}

/** The state of beams and detector. */
export function viewOf({ serial, beams, detector, tally }: Watched): DoorView {
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
    ...(health && { lostEdges: health.lostEdges, restarts: health.restarts }),
  };
}

/** The state of beams, detector and delivery. */
export function viewOfDoor(door: WatchedDoor): DoorView {
  const { journal, uplink, tally } = door;
  const { held, storageProblemText: storage } = journal;
  const delivery = {
    recorded: journal.recorded,
    acknowledged: journal.acknowledged,
    ...(held > 0 && { held }),
    ...(storage !== undefined && { storage }),
    ...(tally.givenUp > 0 && { givenUp: tally.givenUp }),
    connected: uplink.connected,
    ...(uplink.failure !== undefined && !uplink.connected && { failure: uplink.failure }),
    uptime: Math.floor(process.uptime()),
    version,
  };
  return { ...viewOf(door), delivery };
}
