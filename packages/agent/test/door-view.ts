import { monotonicMs } from '../src/clock/time.ts';
import { noFacts } from '../src/detector/path.ts';
import type { DoorView } from '../src/local/door-view.ts';

const beam = {
  broken: false,
  state: 'clear',
  since: monotonicMs(0),
  breaks: 9,
  alone: 0,
  blockedMs: 0,
} as const;

/** A door with healthy beams, as its running agent shows it. */
export const doorView: DoorView = {
  serial: 'CU-1',
  beams: { a: beam, b: beam },
  lastPath: '',
  in: 0,
  out: 0,
  directionDoubtful: false,
  facts: noFacts,
  delivery: {
    recorded: 0,
    acknowledged: 0,
    held: 0,
    pending: 0,
    lost: 0,
    waitsForClock: false,
    givenUp: 0,
    connected: false,
    uptime: 0,
    version: '0.0.0',
  },
};
