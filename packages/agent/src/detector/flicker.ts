import type { MonotonicMs } from '@visitor-counter/domain/time';
import { beginOfTime, later } from '../clock/time.ts';

/** How often a beam has broken since the start: after debouncing, and before. */
interface Breaks {
  readonly breaks: number;
  readonly bounces: number;
}

/** What a door has seen since the start; `b` is missing at a door with one beam. */
interface Seen {
  readonly a: Breaks;
  readonly b: Breaks | undefined;
  readonly crossings: number;
  readonly turnBacks: number;
}

/** The beam that flickers, or `door` if both do. */
export type Flickering = 'a' | 'b' | 'door';

/** How long a door is watched before it is judged (ms). */
const period = 600_000;
/** A beam flickers slowly if it broke so many times more often than the other one, and by this factor. */
const excess = 60;
const excessFactor = 1.5;
/** Both flicker if each broke so many times, and by this factor more often than somebody passed or turned back. */
const most = { breaks: 300, breaksFactor: 3, bounces: 3_000, bouncesFactor: 10 };
/** More people cannot pass a door: 100 a minute. */
const mostCrossings = 1_000;

/**
 * Judges every ten minutes whether sunlight, a lamp or something that moves breaks the beams. People break both beams equally
 * often, hardly more than once each. The path of a person through a beam that flickers is lost, so counts are too low; beams
 * that flicker in turn look like people. Not seen: a beam that flickers slowly at a door where people stand most of the time.
 */
export class FlickerJudge {
  /** What flickered in the last period. */
  flickering: Flickering | undefined;
  #endsAt = beginOfTime;
  #before: Seen | undefined;

  /** The present state of a door, to which the judge compares its next one. */
  update(now: MonotonicMs, { a, b, crossings, turnBacks }: Seen): void {
    if (now < this.#endsAt) return;
    const present = { a: copyOf(a), b: b && copyOf(b), crossings, turnBacks };
    if (this.#before) this.flickering = judge(this.#before, present);
    this.#before = present;
    this.#endsAt = later(now, period);
  }
}

function copyOf({ breaks, bounces }: Breaks): Breaks {
  return { breaks, bounces };
}

function judge(before: Seen, { a, b, crossings, turnBacks }: Seen): Flickering | undefined {
  const ofA = since(before.a, a);
  const ofB = b && before.b ? since(before.b, b) : ofA;
  const passed = crossings - before.crossings;
  const people = passed + turnBacks - before.turnBacks;
  const bounces = ({ bounces }: Breaks) => bounces >= most.bounces && bounces > most.bouncesFactor * people;
  const breaks = ({ breaks }: Breaks) => breaks >= most.breaks && breaks > most.breaksFactor * people;
  if (passed > mostCrossings || (bounces(ofA) && bounces(ofB))) return 'door';
  if (bounces(ofA) || isExcess(ofA, ofB)) return 'a';
  if (bounces(ofB) || isExcess(ofB, ofA)) return 'b';
  return breaks(ofA) && breaks(ofB) ? 'door' : undefined;
}

function since(before: Breaks, { breaks, bounces }: Breaks): Breaks {
  return { breaks: breaks - before.breaks, bounces: bounces - before.bounces };
}

function isExcess({ breaks: one }: Breaks, { breaks: other }: Breaks): boolean {
  return one - other >= excess && one >= excessFactor * other;
}
