import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BeamName, Edge } from '../beams/beams.ts';
import { otherBeam } from '../beams/beams.ts';
import { endOfTime, later, monotonicMs } from '../clock/time.ts';
import { Detector } from './detector.ts';
import type { DetectedCrossing } from './path.ts';

/**
 * Realistic walks: each person has a pace (`reach`, ms from beam to beam) and a depth (`dwell`, ms in a beam,
 * longer than `reach`), and followers enter the near beam before the one ahead has left the far one.
 */
interface Scene {
  readonly near: BeamName;
  readonly people: readonly { readonly reach: number; readonly depth: number; readonly closeness: number }[];
  readonly lastTurns: 'no' | 'near' | 'both' | 'far';
  readonly turn: number;
}

const scene: fc.Arbitrary<Scene> = fc.record({
  near: fc.constantFrom<BeamName>('a', 'b'),
  people: fc.array(
    fc.record({
      reach: fc.integer({ min: 60, max: 300 }),
      depth: fc.integer({ min: 30, max: 600 }),
      closeness: fc.double({ min: 0.3, max: 0.7, noNaN: true }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  lastTurns: fc.constantFrom('no', 'no', 'near', 'both', 'far'),
  turn: fc.integer({ min: 20, max: 400 }),
});

/** The edges of a scene that starts at `start`, and its true crossings. */
function play(
  { near, people, lastTurns, turn }: Scene,
  start: number,
): { edges: Edge[]; crossings: DetectedCrossing[] } {
  const far = otherBeam(near);
  const edges: Edge[] = [];
  const crossings: DetectedCrossing[] = [];
  let enters = start;
  let farFree = start;
  for (const [index, person] of people.entries()) {
    const reach = Math.max(person.reach, farFree - enters + 20);
    const dwell = reach + person.depth;
    const last = index === people.length - 1;
    edges.push({ at: monotonicMs(enters), beam: near, broken: true });
    if (last && lastTurns === 'near') {
      edges.push({ at: monotonicMs(Math.max(enters + dwell, farFree + 20)), beam: near, broken: false });
      break;
    }
    edges.push({ at: monotonicMs(enters + reach), beam: far, broken: true });
    if (last && lastTurns === 'both') {
      edges.push({ at: monotonicMs(enters + reach + turn), beam: far, broken: false });
      edges.push({ at: monotonicMs(enters + reach + turn + reach), beam: near, broken: false });
      break;
    }
    edges.push({ at: monotonicMs(enters + dwell), beam: near, broken: false });
    if (last && lastTurns === 'far') {
      const again = enters + dwell + turn;
      edges.push({ at: monotonicMs(again), beam: near, broken: true });
      edges.push({ at: monotonicMs(again + person.depth), beam: far, broken: false });
      edges.push({ at: monotonicMs(again + dwell), beam: near, broken: false });
      break;
    }
    farFree = enters + dwell + reach;
    edges.push({ at: monotonicMs(farFree), beam: far, broken: false });
    crossings.push({ at: monotonicMs(farFree), direction: near === 'a' ? 1 : -1 });
    enters = enters + dwell + Math.round(reach * person.closeness);
  }
  return { edges: edges.sort((a, b) => a.at - b.at), crossings };
}

/** A follower who only touches the near beam makes the same edges as the person ahead turning back. */
function isKnowable({ people, lastTurns }: Scene): boolean {
  return lastTurns !== 'near' || people.length < 2;
}

const scenes = fc.array(scene.filter(isKnowable), { minLength: 1, maxLength: 8 });

function sequence(all: readonly Scene[]) {
  let start = 1_000;
  const edges: Edge[] = [];
  const crossings: DetectedCrossing[] = [];
  for (const one of all) {
    const played = play(one, start);
    edges.push(...played.edges);
    crossings.push(...played.crossings);
    start = (edges.at(-1)?.at ?? start) + 50;
  }
  return { edges, crossings };
}

function detect(edges: readonly Edge[]): DetectedCrossing[] {
  const detector = new Detector();
  return [...edges.flatMap((edge) => detector.edge(edge)), ...detector.advance(endOfTime)];
}

/** Contacts that bounce: the level changes repeatedly for a few milliseconds before it is stable. */
function bouncing(edges: readonly Edge[], lasting: number): Edge[] {
  return edges
    .flatMap((edge) => [
      edge,
      { ...edge, at: later(edge.at, 1), broken: !edge.broken },
      { ...edge, at: later(edge.at, lasting) },
    ])
    .sort((a, b) => a.at - b.at);
}

test('counts exactly the people who walk through, at the moment of leaving the second beam', () => {
  fc.assert(
    fc.property(scenes, (all) => {
      const { edges, crossings } = sequence(all);
      expect(detect(edges)).toEqual(crossings);
    }),
    { numRuns: 500 },
  );
});

test('bouncing changes neither the count nor the instants', () => {
  fc.assert(
    fc.property(scenes, fc.integer({ min: 2, max: 7 }), (all, lasting) => {
      const { edges, crossings } = sequence(all);
      expect(detect(bouncing(edges, lasting))).toEqual(crossings);
    }),
    { numRuns: 300 },
  );
});

test('walking the other way makes the same crossings in the other direction', () => {
  fc.assert(
    fc.property(scenes, (all) => {
      const { edges } = sequence(all);
      const mirrored = edges.map((edge) => ({ ...edge, beam: otherBeam(edge.beam) }));
      const turned = detect(mirrored).map(({ at, direction }) => ({ at, direction: -direction }));
      expect(turned).toEqual(detect(edges));
    }),
  );
});

test('arbitrary edges make crossings in order, and a clear path counts again after them', () => {
  const edge = fc.record({
    wait: fc.integer({ min: 0, max: 2_000 }),
    beam: fc.constantFrom<BeamName>('a', 'b'),
    broken: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 60 }), (noise) => {
      let at = 0;
      const before = noise.map(({ wait, beam, broken }) => {
        at += wait;
        return { at: monotonicMs(at), beam, broken };
      });
      const released = (['a', 'b'] as const).map((beam, index) => ({
        at: monotonicMs(at + 500 * (index + 1)),
        beam,
        broken: false,
      }));
      const walk = play(
        { near: 'a', people: [{ reach: 100, depth: 100, closeness: 0.5 }], lastTurns: 'no', turn: 50 },
        at + 5_000,
      );
      const seen = detect([...before, ...released, ...walk.edges]);
      expect(seen.at(-1)).toEqual(walk.crossings[0]);
      const instants = seen.map((crossing) => crossing.at);
      expect(instants).toEqual(instants.toSorted((a, b) => a - b));
    }),
  );
});

test('counts the same however often `advance` is called, even if an edge was lost and others are simultaneous', () => {
  const step = fc.record({
    wait: fc.constantFrom(0, 0, 3, 6, 70, 200),
    beam: fc.constantFrom<BeamName>('a', 'b'),
    broken: fc.constantFrom(true, true, false),
    ask: fc.constantFrom(Infinity, 0, 5, 9),
  });
  const lost = ['b0', 'a200', 'b0', 'a6', 'a70'].map((word) => ({
    wait: Number(word.slice(1)),
    beam: word.startsWith('a') ? ('a' as const) : ('b' as const),
    broken: true,
    ask: 5,
  }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 16 }), (steps) => {
      const asked = new Detector({}, { a: false, b: false });
      const other = new Detector({}, { a: false, b: false });
      const seen = [];
      const expected = [];
      let at = monotonicMs(0);
      for (const { wait, ask, beam, broken } of steps) {
        if (ask <= wait) seen.push(...asked.advance(later(at, ask)));
        at = later(at, wait);
        seen.push(...asked.edge({ at, beam, broken }));
        expected.push(...other.edge({ at, beam, broken }));
      }
      seen.push(...asked.advance(endOfTime));
      expected.push(...other.advance(endOfTime));
      expect(seen).toEqual(expected);
      expect(asked.facts).toEqual(other.facts);
    }),
    { numRuns: 1_000, examples: [[lost]] },
  );
});
