import { openBeams } from '../beams/open-beams.ts';
import type { DoorConfig } from '../config/agent-config.ts';
import { openDetector } from '../detector/open-detector.ts';
import type { DoorView } from '../local/door-view.ts';
import { viewOf } from '../local/view-of.ts';
import { recordCrossings } from '../record-crossings.ts';
import { Tally } from '../tally.ts';

/** How often the levels are looked at between two batches (ms). */
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
  const look = () => show(viewOf({ serial: config.serial, beams, detector, tally }));
  const beams = await openBeams(config.beams, {
    resumeAfter: Date.now(),
    clock: Date.now,
    onProblem: () => look(),
  });
  const detector = openDetector(config, beams.levels, beams.now() ?? Date.now());
  const tally = new Tally();
  const parts = {
    beams,
    detector,
    journal: { append: async () => {} },
    resumeAfter: undefined,
    onCrossings: tally.add.bind(tally),
    onBatch: look,
  };
  look();
  const timer = setInterval(look, lookEvery);
  await recordCrossings(parts, signal).finally(() => clearInterval(timer));
}
