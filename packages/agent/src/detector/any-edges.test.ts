import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BeamName, Edge } from '../beams/beams.ts';
import { endOfTime, later, monotonicMs } from '../clock/time.ts';
import { Detector } from './detector.ts';
import type { DetectedCrossing } from './path.ts';

function detect(edges: readonly Edge[]): DetectedCrossing[] {
  const detector = new Detector();
  return [...edges.flatMap((edge) => detector.edge(edge)), ...detector.advance(endOfTime)];
}

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
      const walk = [0, 200, 400, 600].map((after, index) => ({
        at: monotonicMs(at + 5_000 + after),
        beam: index % 2 === 0 ? ('a' as const) : ('b' as const),
        broken: index < 2,
      }));
      const seen = detect([...before, ...released, ...walk]);
      expect(seen.at(-1)).toEqual({ at: at + 5_600, direction: 1 });
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
