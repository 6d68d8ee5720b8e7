import type { MonotonicMs } from '@visitor-counter/domain/time';
import type { DetectedCrossing } from './crossing-detector.ts';
import type { DetectorSettings } from './detector-settings.ts';
import type { Fact } from './facts.ts';
import { clear, type Passage, type Path, passageFrom, type Step } from './path.ts';

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
  const took = at - path.startedAt;
  if (took < settings.shortestPassage) return { fact: 'noise' };
  const crossing: DetectedCrossing = { at, direction: path.near === 'a' ? 1 : -1 };
  return took > settings.slowPassage ? { crossing, fact: 'slow' } : { crossing };
}

function turnedBack(path: Passage, at: MonotonicMs, settings: DetectorSettings): Stepped {
  if (at - path.startedAt < settings.shortestPassage) return { path: clear, fact: 'noise' };
  return { path: clear, fact: path.overlapped ? 'turnBacks' : 'partialPaths' };
}
