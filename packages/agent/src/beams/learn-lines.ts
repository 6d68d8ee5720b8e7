import { readFile, stat } from 'node:fs/promises';
import { writeAtomically } from '@visitor-counter/service/files';
import { pause } from '@visitor-counter/service/pause';
import { parseDocument } from 'yaml';
import type { GpioBeamsConfig, GpioLineConfig } from '../config/agent-config.ts';
import type { BeamName, Beams, Edge, Levels } from './beams.ts';
import { otherBeam, unknownLevels } from './beams.ts';

/** How a door is wired, as the walks of its installer show. */
interface Learned {
  /** The line that is `a` now is on the store side. */
  readonly swapped: boolean;
  /** Whether a low level means broken, by the present name of each beam. */
  readonly activeLow: Readonly<Record<BeamName, boolean>>;
}

/** Why the walks are not conclusive, as text for the installer. */
interface NotLearned {
  readonly problem: string;
}

/** The beam that changed first in a walk; undefined if only one of them changed. */
export function firstOf(walk: readonly Edge[]): BeamName | undefined {
  const [first] = walk;
  return first && walk.some(({ beam }) => beam !== first.beam) ? first.beam : undefined;
}

/**
 * Learns from walks into the store at which level each of two lines rests, and which line changes first. Edges and levels
 * are electrical: `broken` means high.
 */
export function learnLines(atRest: Levels, walks: readonly (readonly Edge[])[]): Learned | NotLearned {
  const { a, b } = atRest;
  if (a === undefined || b === undefined) return { problem: 'the levels of the lines are not known' };
  for (const beam of ['a', 'b'] as const) {
    const silent = walks.filter((walk) => walk.length > 0 && !walk.some((edge) => edge.beam === beam)).length;
    if (silent > 0) {
      return {
        problem: `beam ${beam} stayed silent in ${silent} of ${walks.length} walks while ${otherBeam(beam)} moved: check its cable and its aim`,
      };
    }
  }
  const firsts = new Set(walks.map(firstOf));
  if (firsts.size !== 1)
    return { problem: 'the walks do not agree on which beam comes first: walk again, straight and alone' };
  /* A line that rests high is pulled low by a person. */
  return { swapped: firsts.has('b'), activeLow: { a, b } };
}

/** A walk is over when both lines have rested for this long (ms) as they did before. */
const restsFor = 1_000;

interface Walks {
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
  let atRest = unknownLevels;
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
          now = { ...now, [event.beam]: event.broken };
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

/** The beams as they were learned: `a` on the street side, levels the right way round. */
export function learnedBeams({ a, b }: Required<Pick<GpioBeamsConfig, 'a' | 'b'>>, learned: Learned) {
  const asFound = {
    a: { line: a.line, activeLow: learned.activeLow.a },
    b: { line: b.line, activeLow: learned.activeLow.b },
  };
  return learned.swapped ? { a: asFound.b, b: asFound.a } : asFound;
}

/**
 * Writes the lines of one door into the configuration file, and preserves its comments; the new file
 * replaces the old one atomically. `index` is the position of the door, 0 if the file has one door at its top level.
 */
export async function writeLearned(
  file: string,
  index: number,
  beams: Readonly<Record<'a' | 'b', GpioLineConfig>>,
): Promise<void> {
  const document = parseDocument(await readFile(file, 'utf8'));
  const path = document.has('doors') ? ['doors', index, 'beams'] : ['beams'];
  for (const line of ['a', 'b'] as const) {
    document.setIn([...path, line, 'line'], beams[line].line);
    document.setIn([...path, line, 'activeLow'], beams[line].activeLow);
  }
  const { mode } = await stat(file);
  await writeAtomically(file, document.toString(), mode);
}
