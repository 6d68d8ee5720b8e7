import type { Crossing } from '@visitor-counter/domain/crossing';
import type { DetectorSettings } from './detector-settings.ts';
import type { Fact } from './facts.ts';
import { clear, type Passage, type Path, passageFrom, type Step } from './path.ts';

/** Where a path stands after a step, who went through by it, and what else it showed. */
export interface Stepped {
  readonly path: Path;
  readonly crossing?: Crossing;
  readonly fact?: Fact;
}

/**
 * One step of somebody under the beams.
 *
 * The near beam that breaks while the far one still is broken alone may be a follower or the first coming
 * back; the edges up to there are the same. What comes next decides: the far beam clears and breaks again,
 * then a follower walks on, and the first is counted with the instant at which it cleared the far beam; or
 * all clears, then it was a turn-back, unless the times show that the first walked on evenly and only the
 * follower went back. A step that cannot happen in a phase changes nothing.
 */
export function stepPassage(path: Passage, step: Step, at: number, settings: DetectorSettings): Stepped {
  switch (path.phase) {
    case 'near':
      if (step === 'far-breaks') return { path: { ...path, phase: 'both', overlapped: true, farAt: at } };
      if (step === 'near-clears') return turnedBack(path, at, settings);
      break;
    case 'both':
      if (step === 'near-clears') return { path: { ...path, phase: 'far', nearClearedAt: at } };
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
      if (step === 'far-breaks') return followed(path, at, settings);
      if (step === 'near-clears') return leftOrTurnedBack(path, at, settings);
      break;
  }
  return { path };
}

/** What is known of the first when a beam under a possible follower turns out to be blocked. */
export function settleFirst(path: Path, settings: DetectorSettings): Pick<Stepped, 'crossing' | 'fact'> {
  const left = path.phase === 'near-again' && walkedOn(path, settings);
  return left ? passed(path, path.farClearedAt, settings) : {};
}

function followed(path: Passage, at: number, settings: DetectorSettings): Stepped {
  const follower = { ...passageFrom(path.near, path.againAt), phase: 'both' as const, farAt: at };
  return { path: { ...follower, overlapped: true }, ...passed(path, path.farClearedAt, settings) };
}

function leftOrTurnedBack(path: Passage, at: number, settings: DetectorSettings): Stepped {
  if (!walkedOn(path, settings)) return turnedBack(path, at, settings);
  return { path: clear, ...passed(path, path.farClearedAt, settings) };
}

/**
 * Whoever walks on evenly spends the same time in either beam. Whoever turns round under the far beam spends
 * longer there, and as long in both beams on the way back as on the way there.
 */
function walkedOn(path: Passage, { evenPace }: DetectorSettings): boolean {
  const inNear = path.nearClearedAt - path.startedAt;
  const inFar = path.farClearedAt - path.farAt;
  const inBoth = path.nearClearedAt - path.farAt;
  const inBothAgain = path.farClearedAt - path.againAt;
  const tolerance = evenPace * inNear;
  return Math.abs(inFar - inNear) < tolerance && Math.abs(inBothAgain - inBoth) > tolerance;
}

function passed(path: Passage, at: number, settings: DetectorSettings): Pick<Stepped, 'crossing' | 'fact'> {
  const took = at - path.startedAt;
  if (took < settings.shortestPassage) return { fact: 'noise' };
  const crossing: Crossing = { at, direction: path.near === 'a' ? 1 : -1 };
  return took > settings.slowPassage ? { crossing, fact: 'slow' } : { crossing };
}

function turnedBack(path: Passage, at: number, settings: DetectorSettings): Stepped {
  if (at - path.startedAt < settings.shortestPassage) return { path: clear, fact: 'noise' };
  return { path: clear, fact: path.overlapped ? 'turnBacks' : 'partialPaths' };
}
