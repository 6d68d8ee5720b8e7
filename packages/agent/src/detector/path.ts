import type { Direction } from '@visitor-counter/domain/crossing';
import type { MonotonicMs } from '@visitor-counter/domain/time';
import type { BeamName } from '../beams/beams.ts';
import { later } from '../clock/time.ts';
import { type DetectorSettings, defaultRefractory, type OneBeamSettings } from '../config/agent-config.ts';

/** A crossing at a moment on the clock of the edges' stamps: it has no instant yet. */
export interface DetectedCrossing {
  readonly at: MonotonicMs;
  readonly direction: Direction;
}

/** Facts that were detected in addition to crossings, counted since the start. Misaligned sensors show up here. */
export const noFacts = {
  /** Paths that broke both beams and went back. */
  turnBacks: 0,
  /** Paths that broke one beam only. */
  partialPaths: 0,
  /** Paths that ended sooner than a person can pass. */
  noise: 0,
  /** Crossings that took longer than usual. */
  slow: 0,
  /** Two edges of a beam to the same level: the edge between them was lost. */
  resyncs: 0,
  /** How often a beam was broken for too long. */
  blocked: 0,
  /** Breaks so soon after a crossing that it was the same person; only doors with one beam. */
  repeats: 0,
  /** Paths whose direction could not be determined. */
  unclear: 0,
};

export type Fact = keyof typeof noFacts;
export type Facts = Readonly<Record<Fact, number>>;

/**
 * A path under the beams, relative to the side from which it came: `near` is the beam that broke first,
 * `far` the other one.
 *
 * With `near` = a the phases near, both, far are the steps +1, +2, +3 of the Gray ring none, A, AB, B, none;
 * with `near` = b they are -1, -2, -3. Clearing the far beam from `far` completes the fourth step.
 */
export type Path = Clear | Uncertain | Passage;

/** Nothing is under the beams. */
interface Clear {
  readonly phase: 'clear';
}

/** An obstruction that is not counted; it ends when both beams are clear. */
interface Uncertain {
  readonly phase: 'unknown' | 'blocked';
}

/** A person is passing. */
export interface Passage {
  /**
   * - `near`, `both`, `far`: the beams that are broken now.
   * - `both-again`: a person was at the far beam alone and the near one broke again. Either a follower
   *   entered, or the first came back.
   * - `near-again`: after `both-again` the far beam cleared. Either the first person left, or went back further.
   */
  readonly phase: 'near' | 'both' | 'far' | 'both-again' | 'near-again';
  readonly near: BeamName;
  /** Whether both beams were broken simultaneously at some time. */
  readonly overlapped: boolean;
  /** When the near beam broke. */
  readonly startedAt: MonotonicMs;
  /** When the near beam broke again; meaningful in `both-again` and `near-again`. */
  readonly againAt: MonotonicMs;
  /** When the far beam cleared; meaningful in `near-again`. */
  readonly farClearedAt: MonotonicMs;
}

/** An edge as a path sees it. */
export type Step = 'near-breaks' | 'near-clears' | 'far-breaks' | 'far-clears';

export const clear: Clear = { phase: 'clear' };

/** The passage of a person who has just broken the first beam. */
export function passageFrom(near: BeamName, at: MonotonicMs): Passage {
  return {
    phase: 'near',
    near,
    overlapped: false,
    startedAt: at,
    againAt: at,
    farClearedAt: at,
  };
}

/** The result of a step: the new path, and a crossing or another fact. */
export interface Stepped {
  readonly path: Path;
  readonly crossing?: DetectedCrossing;
  readonly fact?: Fact;
}

/**
 * Applies one step to a passage.
 *
 * If the near beam breaks while only the far one is broken, either a follower has entered or the first person is going
 * back. The next steps decide. If the far beam clears and breaks again, a follower walks on, and the first person is
 * counted at the moment when the far beam cleared. If both beams clear, the first person went back. A step that cannot
 * happen in a phase changes nothing.
 */
export function stepPassage(path: Passage, step: Step, at: MonotonicMs, settings: DetectorSettings): Stepped {
  switch (path.phase) {
    case 'near':
      if (step === 'far-breaks') return { path: { ...path, phase: 'both', overlapped: true } };
      if (step === 'near-clears') return turnedBack(path, at, settings);
      break;
    case 'both':
      if (step === 'near-clears') return { path: { ...path, phase: 'far' } };
      if (step === 'far-clears') return { path: { ...path, phase: 'near' } };
      break;
    case 'far':
      if (step === 'far-clears') return { path: clear, ...passed(path, at, settings) };
      if (step === 'near-breaks') return { path: { ...path, phase: 'both-again', againAt: at } };
      break;
    case 'both-again':
      if (step === 'near-clears') return { path: { ...path, phase: 'far' } };
      if (step === 'far-clears') return { path: { ...path, phase: 'near-again', farClearedAt: at } };
      break;
    case 'near-again':
      if (step === 'far-breaks') return followed(path, settings);
      if (step === 'near-clears') return turnedBack(path, at, settings);
      break;
  }
  return { path };
}

function followed(path: Passage, settings: DetectorSettings): Stepped {
  const follower = { ...passageFrom(path.near, path.againAt), phase: 'both' as const };
  return { path: { ...follower, overlapped: true }, ...passed(path, path.farClearedAt, settings) };
}

function passed(
  path: Passage,
  at: MonotonicMs,
  settings: DetectorSettings,
): Pick<Stepped, 'crossing' | 'fact'> {
  if (at - path.startedAt < settings.shortestPassage) return { fact: 'noise' };
  return counted(path, { at, direction: path.near === 'a' ? 1 : -1 });
}

/** A longer passage counts, and is reported as slow (ms). */
const slowPassage = 10_000;

function counted({ startedAt }: Passage, crossing: DetectedCrossing): Pick<Stepped, 'crossing' | 'fact'> {
  return crossing.at - startedAt > slowPassage ? { crossing, fact: 'slow' } : { crossing };
}

function turnedBack(path: Passage, at: MonotonicMs, settings: DetectorSettings): Stepped {
  if (at - path.startedAt < settings.shortestPassage) return { path: clear, fact: 'noise' };
  return { path: clear, fact: path.overlapped ? 'turnBacks' : 'partialPaths' };
}

/**
 * Ends a break at a door with one beam, through which people walk in one direction only: each break that is long enough for
 * a person is a crossing. A break that begins within `refractory` after the last crossing, which was at `countedAt`, is the
 * same person: an arm, a bag, a trolley.
 */
export function endBreak(
  path: Passage,
  at: MonotonicMs,
  { shortestPassage }: DetectorSettings,
  { refractory = defaultRefractory, direction }: OneBeamSettings,
  countedAt: MonotonicMs,
): Stepped {
  if (at - path.startedAt < shortestPassage) return { path: clear, fact: 'noise' };
  if (path.startedAt < later(countedAt, refractory)) return { path: clear, fact: 'repeats' };
  return { path: clear, ...counted(path, { at, direction: direction === 'in' ? 1 : -1 }) };
}
