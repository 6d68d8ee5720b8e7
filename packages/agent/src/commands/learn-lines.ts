import { type BeamName, type Edge, type Levels, otherBeam } from '../beams/beams.ts';
import { parseTraceLine } from '../beams/trace.ts';
import type { GpioLineConfig } from '../config/agent-config.ts';

/** The lines of the two beams. */
export type LinePair = Readonly<Record<BeamName, GpioLineConfig>>;

/** The beams in the order in which they first changed in a walk. */
export type Walk = readonly BeamName[];

/** Why the walks are not conclusive, as text for the installer. */
interface NotLearned {
  readonly problem: string;
}

/**
 * Learns from walks into the store, and from the levels at rest, which line is on the street side, and at which level each
 * beam is broken. `atRest` are levels as `lines` interprets them.
 */
export function learnLines(
  atRest: Levels,
  walks: readonly Walk[],
  { a, b }: LinePair,
): LinePair | NotLearned {
  for (const beam of ['a', 'b'] as const) {
    const silent = walks.filter((walk) => !walk.includes(beam)).length;
    if (silent > 0)
      return {
        problem: `beam ${beam} stayed silent in ${silent} of ${walks.length} walks while ${otherBeam(beam)} moved: check its cable and its aim`,
      };
  }
  const firsts = new Set(walks.map(([first]) => first));
  if (firsts.size !== 1)
    return { problem: 'the walks do not agree on which beam comes first: walk again, straight and alone' };
  /* A beam that is broken while nobody is there is inverted. */
  const right = ({ line, activeLow = false }: GpioLineConfig, isBroken: boolean | undefined) => ({
    line,
    activeLow: activeLow !== (isBroken === true),
  });
  const found = { a: right(a, atRest.a), b: right(b, atRest.b) };
  return firsts.has('b') ? { a: found.b, b: found.a } : found;
}

/** A walk is over when both lines have rested for this long (ms) as they did before. */
const restsFor = 1_000;

/**
 * Gathers `count` walks from the lines of a trace, which begins with the levels at rest: `ready` is called before each,
 * `walked` after it. Returns fewer if the trace ends; `stop` must end it.
 */
export async function gatherWalks(
  trace: AsyncIterable<string>,
  count: number,
  ready: (number: number) => void,
  walked: (walk: Walk) => void,
  stop: () => void,
): Promise<{ readonly atRest: Levels; readonly walks: readonly Walk[] }> {
  const atRest: { -readonly [Beam in BeamName]: Levels[Beam] } = { a: undefined, b: undefined };
  const now = { ...atRest };
  const walks: Walk[] = [];
  let walk: BeamName[] = [];
  const endWalk = () => {
    if (walk.length === 0 || now.a !== atRest.a || now.b !== atRest.b) return;
    walks.push(walk);
    walked(walk);
    walk = [];
    if (walks.length === count) stop();
    else ready(walks.length + 1);
  };
  let timer: NodeJS.Timeout | undefined;
  const see = ({ beam, broken }: Edge) => {
    if (atRest[beam] === undefined) {
      atRest[beam] = broken;
      if (atRest.a !== undefined && atRest.b !== undefined) ready(1);
    } else if (now[beam] !== broken && !walk.includes(beam)) {
      walk.push(beam);
    }
    now[beam] = broken;
    clearTimeout(timer);
    timer = setTimeout(endWalk, restsFor);
  };
  for await (const line of trace) see(parseTraceLine(line, 0));
  clearTimeout(timer);
  return { atRest, walks };
}
