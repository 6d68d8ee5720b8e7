import type { MonotonicMs } from '@visitor-counter/domain/time';
import { beginOfTime, later } from '../clock/time.ts';

/** What a beam has seen since the start. */
interface SeenBeam {
  /** Breaks after debouncing, and before. */
  readonly breaks: number;
  readonly bounces: number;
}

/** What a door has seen since the start; `b` is missing at a door with one beam. */
interface Seen {
  readonly a: SeenBeam;
  readonly b?: SeenBeam;
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

  /** `seen` is called at the end of a period. */
  update(now: MonotonicMs, seen: () => Seen): void {
    if (now < this.#endsAt) return;
    const present = seen();
    if (this.#before) this.flickering = judge(this.#before, present);
    this.#before = present;
    this.#endsAt = later(now, period);
  }
}

function judge(before: Seen, { a, b, crossings, turnBacks }: Seen): Flickering | undefined {
  const ofA = since(before.a, a);
  const ofB = b && before.b ? since(before.b, b) : ofA;
  const passed = crossings - before.crossings;
  const people = passed + turnBacks - before.turnBacks;
  const bounces = ({ bounces }: SeenBeam) => bounces >= most.bounces && bounces > most.bouncesFactor * people;
  const breaks = ({ breaks }: SeenBeam) => breaks >= most.breaks && breaks > most.breaksFactor * people;
  if (passed > mostCrossings || (bounces(ofA) && bounces(ofB))) return 'door';
  if (bounces(ofA) || isExcess(ofA, ofB)) return 'a';
  if (bounces(ofB) || isExcess(ofB, ofA)) return 'b';
  return breaks(ofA) && breaks(ofB) ? 'door' : undefined;
}

function since(before: SeenBeam, { breaks, bounces }: SeenBeam): SeenBeam {
  return { breaks: breaks - before.breaks, bounces: bounces - before.bounces };
}

function isExcess({ breaks: one }: SeenBeam, { breaks: other }: SeenBeam): boolean {
  return one - other >= excess && one >= excessFactor * other;
}
