import type { BeamName, Edge } from '../src/beams/beams.ts';
import { monotonicMs } from '../src/clock/time.ts';
import type { DetectedCrossing } from '../src/detector/path.ts';

/**
 * People as bodies on a line through the door; metres and milliseconds. Beam `a` is at 0, beam `b` further in. A beam
 * is broken while a body covers it. Bodies never touch: one that would come too near waits.
 */
export interface Scene {
  /** The distance between the beams. */
  readonly spacing: number;
  /** The side from which the body comes. */
  readonly from: BeamName;
  readonly people: readonly Body[];
}

export interface Body {
  /** The length from front to back. */
  readonly depth: number;
  /** The speed (m/s). */
  readonly speed: number;
  /** The smallest distance to the body ahead. */
  readonly gap: number;
  /** Where the front stops, beyond the near beam; negative before it. */
  readonly stopAt?: number;
  /** For how long (ms). */
  readonly stopFor?: number;
  /** Where the front turns back, with the other speed; it does not turn again. */
  readonly turnAt?: number;
  readonly speedBack?: number;
}

interface Walker extends Body {
  front: number;
  waited: number;
  back: boolean;
  /** It has passed both beams and is counted. */
  passed: boolean;
}

/** How far from the beams people begin and end (m). */
const outside = 0.2;
/** The longest duration of a scene (ms). */
const longest = 120_000;

/**
 * Plays a scene in steps of a millisecond from `start` on; returns the edges and the true crossings, in
 * order.
 */
export function playScene(
  scene: Scene,
  start: number,
): { edges: Edge[]; crossings: DetectedCrossing[]; end: number } {
  const near = scene.from;
  const far = near === 'a' ? 'b' : 'a';
  const walkers: Walker[] = [];
  for (const body of scene.people) {
    const ahead = walkers.at(-1);
    const front = ahead ? ahead.front - ahead.depth - body.gap : -outside;
    walkers.push({ ...body, front, waited: 0, back: false, passed: false });
  }
  const broken: Record<BeamName, boolean> = { a: false, b: false };
  const edges: Edge[] = [];
  const crossings: DetectedCrossing[] = [];
  const into = near === 'a' ? 1 : -1;
  let at = start;
  for (; at < start + longest; at += 1) {
    for (const [index, walker] of walkers.entries())
      move(walker, walkers[index - 1], walkers[index + 1], scene);
    for (const [beam, place] of [
      [near, 0],
      [far, scene.spacing],
    ] as const) {
      const covered = walkers.some(({ front, depth }) => front >= place && front - depth <= place);
      if (covered === broken[beam]) continue;
      broken[beam] = covered;
      edges.push({ at: monotonicMs(at), beam, broken: covered });
    }
    for (const walker of walkers) {
      const rear = walker.front - walker.depth;
      if (!walker.passed && rear > scene.spacing) {
        walker.passed = true;
        crossings.push({ at: monotonicMs(at), direction: into });
      } else if (walker.passed && walker.front < 0) {
        walker.passed = false;
        crossings.push({ at: monotonicMs(at), direction: -into as 1 | -1 });
      }
    }
    if (walkers.every((walker) => isGone(walker, scene))) break;
  }
  return { edges, crossings, end: at };
}

function isGone({ front, depth, back }: Walker, { spacing }: Scene): boolean {
  return back ? front < -outside : front - depth > spacing + outside;
}

function move(walker: Walker, ahead: Walker | undefined, behind: Walker | undefined, scene: Scene): void {
  const { stopAt = Infinity, stopFor = 0, turnAt = Infinity, speedBack = walker.speed } = walker;
  if (walker.back) {
    const room = behind ? walker.front - walker.depth - behind.front - 0.01 : Infinity;
    walker.front -= Math.max(0, Math.min(speedBack / 1_000, room));
    return;
  }
  if (walker.front >= turnAt) {
    walker.back = true;
    return;
  }
  if (walker.front >= stopAt && walker.waited < stopFor) {
    walker.waited += 1;
    return;
  }
  const aheadIsGone = !ahead || isGone(ahead, scene);
  const room = aheadIsGone ? Infinity : ahead.front - ahead.depth - walker.gap - walker.front;
  walker.front += Math.max(0, Math.min(walker.speed / 1_000, room));
}
