import type { Crossing } from '@visitor-counter/domain/crossing';
import { openBeams } from '../beams/open-beams.ts';
import { epochOf } from '../clock/monotonic-time.ts';
import type { DoorConfig } from '../config/agent-config.ts';
import { openDetector } from '../detector/open-detector.ts';
import type { DoorView } from '../local/door-view.ts';
import { viewOf } from '../local/view-of.ts';
import { Tally } from '../recording/tally.ts';

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
  const detector = openDetector(config, beams.levels, beams.now() ?? Date.now());
  const tally = new Tally();
  const take = (crossings: readonly Crossing[]) => {
    tally.add(crossings.map((crossing) => ({ ...crossing, at: epochOf(beams.time, crossing.at) })));
    show(viewOf({ serial: config.serial, beams, detector, tally }));
  };
  const timer = setInterval(() => take(detector.advance(beams.now() ?? Number.NEGATIVE_INFINITY)), lookEvery);
  try {
    for await (const batch of beams.edges(signal)) {
      for (const event of batch) take('levels' in event ? detector.restart(event) : detector.edge(event));
    }
    take(detector.advance(Number.POSITIVE_INFINITY));
  } finally {
    clearInterval(timer);
  }
}
