import fc from 'fast-check';
import { expect, test } from 'vitest';
import { monotonicMs } from '../clock/time.ts';
import type { BeamName, Edge } from './beams.ts';
import { LiveEdges, longestDelay } from './live-edges.ts';

const edge = (at: number, beam: BeamName = 'a'): Edge => ({ at: monotonicMs(at), beam, broken: true });

test('sorts edges that arrive within 50 ms of each other by their stamps', () => {
  const happening = fc.record({
    at: fc.integer({ min: 0, max: 5_000 }),
    beam: fc.constantFrom<BeamName>('a', 'b'),
  });
  fc.assert(
    fc.property(
      fc.array(happening, { maxLength: 40 }),
      fc.integer({ min: 5_000, max: 9_000 }),
      (all, stall) => {
        const ofBeam = (beam: BeamName) =>
          all.filter((one) => one.beam === beam).toSorted((a, b) => a.at - b.at);
        const live = new LiveEdges();
        for (const { at, beam } of ofBeam('a')) live.add(edge(at, beam), monotonicMs(stall));
        expect(live.release(monotonicMs(stall + longestDelay - 1))).toEqual([]);
        for (const { at, beam } of ofBeam('b'))
          live.add(edge(at, beam), monotonicMs(stall + longestDelay - 1));
        const given = [...live.release(monotonicMs(stall + longestDelay)), ...live.flush()];
        expect(given.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted((a, b) => a - b));
        expect(live.late).toBe(0);
      },
    ),
  );
});

test('never releases an edge before a released one, nor before a certain moment', () => {
  const act = fc.record({ wait: fc.integer({ min: 0, max: 120 }), age: fc.integer({ min: 0, max: 400 }) });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const live = new LiveEdges();
      let now = 0;
      let passed = -Infinity;
      for (const { wait, age } of acts) {
        now += wait;
        live.add(edge(now - age), monotonicMs(now));
        passed = Math.max(passed, live.certainUntil(monotonicMs(now)));
        for (const { at } of live.release(monotonicMs(now))) {
          expect(at).toBeGreaterThanOrEqual(passed);
          passed = at;
        }
      }
    }),
  );
});

test('a stamp an hour in the future does not delay the edges after it', () => {
  const live = new LiveEdges();
  live.add(edge(3_601_000), monotonicMs(1_000));
  live.add(edge(1_200, 'b'), monotonicMs(1_200));
  expect(live.release(monotonicMs(1_300))).toEqual([edge(1_000), edge(1_200, 'b')]);
  expect(live.late).toBe(0);
});

test('counts an edge that arrives too late, with the earliest stamp that is allowed', () => {
  const live = new LiveEdges();
  live.add(edge(1_000), monotonicMs(1_000));
  expect(live.release(monotonicMs(1_050))).toEqual([edge(1_000)]);
  live.add(edge(900, 'b'), monotonicMs(1_051));
  expect(live.late).toBe(1);
  expect(live.flush()).toEqual([edge(1_000, 'b')]);
});
