import { expect, test } from 'vitest';
import type { Edge } from '../beams/beams.ts';
import { endOfTime, monotonicMs } from '../clock/time.ts';
import { Detector } from './detector.ts';

function start({ level = false, direction = 'in' as 'in' | 'out' } = {}) {
  return new Detector({ oneBeam: { direction } }, { a: level, b: false });
}

/** Breaks as pairs of instants. */
function detect(breaks: readonly (readonly [number, number])[], detector = start()) {
  const edges = breaks.flatMap(([from, to]): Edge[] => [
    { at: monotonicMs(from), beam: 'a', broken: true },
    { at: monotonicMs(to), beam: 'a', broken: false },
  ]);
  const crossings = [...edges.flatMap((edge) => detector.edge(edge)), ...detector.advance(endOfTime)];
  return { instants: crossings.map(({ at }) => at), crossings, facts: detector.facts, detector };
}

test('counts each break in the configured direction, at its end', () => {
  expect(detect([[1_000, 1_300]], start({ direction: 'out' })).crossings).toEqual([
    { at: 1_300, direction: -1 },
  ]);
});

test.each([
  ['a break of less than 60 ms', [[1_000, 1_059]], [], { noise: 1 }],
  ['a break of 60 ms', [[1_000, 1_060]], [1_060], {}],
  [
    'a break 399 ms after a crossing',
    [
      [1_000, 1_300],
      [1_699, 1_900],
    ],
    [1_300],
    { repeats: 1 },
  ],
  [
    'a break 400 ms after a crossing',
    [
      [1_000, 1_300],
      [1_700, 1_900],
    ],
    [1_300, 1_900],
    {},
  ],
  ['a break of 20 s', [[1_000, 21_000]], [21_000], { slow: 1 }],
  [
    'a break of over 30 s',
    [
      [1_000, 31_001],
      [40_000, 40_300],
    ],
    [40_300],
    { blocked: 1, unclear: 0 },
  ],
] as const)('counts exactly: %s', (_, breaks, instants, facts) => {
  const seen = detect(breaks);
  expect(seen.instants).toEqual(instants);
  expect(seen.facts).toMatchObject(facts);
});

test('counts nothing from a beam that is broken at the start or at a restart of reading', () => {
  const detector = start({ level: true });
  expect(detector.edge({ at: monotonicMs(1_000), beam: 'a', broken: false })).toEqual([]);
  expect(detector.advance(monotonicMs(1_008))).toEqual([]);
  detector.edge({ at: monotonicMs(2_000), beam: 'a', broken: true });
  expect(detector.restart({ at: monotonicMs(2_200), levels: { a: true, b: false } })).toEqual([]);
  expect(detect([[5_000, 5_200]], detector).instants).toEqual([5_200]);
});

test('counts one person if the edge between two breaks was lost', () => {
  const detector = start();
  const edges = (
    [
      [1_000, true],
      [2_000, true],
      [2_300, false],
    ] as const
  ).map(([at, broken]): Edge => ({ at: monotonicMs(at), beam: 'a', broken }));
  const crossings = [...edges.flatMap((edge) => detector.edge(edge)), ...detector.advance(endOfTime)];
  expect(crossings).toEqual([{ at: 2_000, direction: 1 }]);
  expect(detector.facts).toMatchObject({ resyncs: 1, repeats: 1 });
});
