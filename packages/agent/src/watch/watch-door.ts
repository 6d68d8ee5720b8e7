import { openBeams } from '../beams/open-beams.ts';
import { beginOfTime, displayedOffset, endOfTime, instantOf, recordedMoment } from '../clock/time.ts';
import type { DoorConfig } from '../config/agent-config.ts';
import type { DetectedCrossing } from '../detector/crossing-detector.ts';
import { openDetector } from '../detector/open-detector.ts';
import type { DoorView } from '../local/door-view.ts';
import { viewOf } from '../local/door-view.ts';
import { Tally } from '../recording/progress.ts';

/** How often time alone may decide something (ms). */
const lookEvery = 50;

/**
 * Reads a door's beams in this process and calls `show` whenever there may be something new, until the beams
 * end or `signal` aborts. Nothing is journaled.
 */
export async function watchDoor(
  config: DoorConfig,
  show: (view: DoorView) => void,
  signal: AbortSignal,
): Promise<void> {
  const beams = await openBeams(config.beams, { resumeAfter: Date.now(), clock: Date.now });
  const detector = openDetector(config, beams.levels, beams.now() ?? recordedMoment(Date.now()));
  const tally = new Tally();
  const take = (crossings: readonly DetectedCrossing[]) => {
    const offset = displayedOffset(beams.stampClock);
    tally.add(crossings.map(({ at, direction }) => ({ at: instantOf(at, offset), direction })));
    show(viewOf({ serial: config.serial, beams, detector, tally }));
  };
  const timer = setInterval(() => take(detector.advance(beams.now() ?? beginOfTime)), lookEvery);
  try {
    for await (const batch of beams.edges(signal)) {
      for (const event of batch) take('levels' in event ? detector.restart(event) : detector.edge(event));
    }
    take(detector.advance(endOfTime));
  } finally {
    clearInterval(timer);
  }
}
