import { pause } from '../async/pause.ts';
import type { Beams } from '../beams/beams.ts';
import type { Edge, Levels } from '../beams/edge.ts';

/** A walk is over when both lines have rested for this long (ms) as they did before. */
const restsFor = 1_000;

export interface Walks {
  readonly atRest: Levels;
  readonly walks: readonly (readonly Edge[])[];
}

/**
 * Gathers `count` walks: `ready` is called before each, `walked` after it. Returns fewer if `signal` aborts.
 */
export async function gatherWalks(
  beams: Beams,
  count: number,
  { ready, walked }: { ready: (number: number) => void; walked: (edges: readonly Edge[]) => void },
  signal: AbortSignal,
): Promise<Walks> {
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  const walks: Edge[][] = [];
  let atRest: Levels = { a: undefined, b: undefined };
  let now: Levels = atRest;
  let walk: Edge[] = [];
  let moved = performance.now();
  const reading = (async () => {
    for await (const batch of beams.edges(stop)) {
      for (const event of batch) {
        if ('levels' in event) {
          atRest = event.levels;
          now = event.levels;
          walk = [];
          if (atRest.a !== undefined) ready(walks.length + 1);
        } else {
          now = { ...now, [event.line]: event.broken };
          walk.push(event);
        }
        moved = performance.now();
      }
    }
  })();
  while (!stop.aborted) {
    await pause(50, stop);
    const rests = now.a === atRest.a && now.b === atRest.b && performance.now() - moved >= restsFor;
    if (walk.length === 0 || !rests) continue;
    walks.push(walk);
    walked(walk);
    walk = [];
    if (walks.length === count) ended.abort();
    else ready(walks.length + 1);
  }
  await reading;
  return { atRest, walks };
}
