import { seededRandom } from '@visitor-counter/simulation/random';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawScene, type Kind, kinds } from '../../test/draw-scene.ts';
import { playScene } from '../../test/walking-bodies.ts';
import type { Edge } from '../beams/beams.ts';
import { endOfTime, later } from '../clock/time.ts';
import { Detector } from './detector.ts';
import type { DetectedCrossing } from './path.ts';

const seed = fc.integer({ min: 0, max: 2 ** 32 - 1 });

/** Scenes one after the other, with a short pause between them. */
function play(order: readonly Kind[], random: () => number) {
  const edges: Edge[] = [];
  const crossings: DetectedCrossing[] = [];
  let start = 1_000;
  for (const kind of order) {
    const played = playScene(drawScene(kind, random), start);
    edges.push(...played.edges);
    crossings.push(...played.crossings);
    start = played.end + 50 + Math.floor(random() * 500);
  }
  return { edges, crossings };
}

function detect(edges: readonly Edge[]): DetectedCrossing[] {
  const detector = new Detector();
  return [...edges.flatMap((edge) => detector.edge(edge)), ...detector.advance(endOfTime)];
}

test.each(kinds)('a body that %s is counted exactly', (kind) => {
  fc.assert(
    fc.property(seed, (start) => {
      const { edges, crossings } = play([kind], seededRandom(start));
      expect(detect(edges)).toEqual(crossings);
    }),
    { numRuns: 150 },
  );
});

test('bodies of all kinds in any order are counted exactly', () => {
  const orders = fc.array(fc.constantFrom(...kinds), { minLength: 2, maxLength: 5 });
  fc.assert(
    fc.property(orders, seed, (order, start) => {
      const { edges, crossings } = play(order, seededRandom(start));
      expect(detect(edges)).toEqual(crossings);
    }),
    { numRuns: 100 },
  );
});

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

test('bouncing changes neither the count nor the instants', () => {
  const orders = fc.array(fc.constantFrom<Kind>('walks', 'runs', 'stands in the door'), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(orders, seed, fc.integer({ min: 2, max: 7 }), (order, start, lasting) => {
      const { edges, crossings } = play(order, seededRandom(start));
      expect(detect(bouncing(edges, lasting))).toEqual(crossings);
    }),
  );
});
