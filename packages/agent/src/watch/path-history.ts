import type { DoorView } from '../local/door-view.ts';

/** Each fact in the words of an installer. */
const outcomes = {
  turnBacks: 'turned back',
  partialPaths: 'touched one beam only',
  noise: 'too short for a person',
  repeats: 'too soon after the one before',
  unclear: 'unclear: neither in nor out',
  blocked: 'blocked: nothing is counted until both beams are clear',
} as const;

/** Derives the path of each person from successive snapshots of a door. */
export class PathHistory {
  #before: DoorView | undefined;

  /**
   * The paths that ended since the last snapshot, such as `a, both, b: IN`; the beams are those of the latest
   * one.
   */
  take(view: DoorView): readonly string[] {
    const before = this.#before;
    this.#before = view;
    if (before === undefined) return [];
    const ended = [
      ...repeat('IN', view.in - before.in),
      ...repeat('OUT', view.out - before.out),
      ...Object.entries(outcomes).flatMap(([fact, words]) =>
        repeat(words, (view.facts[fact] ?? 0) - (before.facts[fact] ?? 0)),
      ),
    ];
    return ended.map((words) => (view.lastPath === '' ? words : `${view.lastPath}: ${words}`));
  }
}

function repeat(words: string, times: number): string[] {
  return Array.from({ length: Math.max(0, times) }, () => words);
}
