import { expect, test } from 'vitest';
import type { Edge, Levels } from '../beams/beams.ts';
import { endOfTime, monotonicMs } from '../clock/time.ts';
import { Detector } from './detector.ts';

/** Edges from words such as `A@0 B@200 a@400 b@600`: a capital breaks the beam, a small letter clears it. */
function edges(words: string): Edge[] {
  return words
    .trim()
    .split(/\s+/)
    .map((word) => {
      const [letter = '', at = ''] = word.split('@');
      return {
        at: monotonicMs(Number(at)),
        beam: letter.toLowerCase() === 'a' ? 'a' : 'b',
        broken: letter < 'a',
      };
    });
}

function detect(words: string, levels?: Levels) {
  const detector = new Detector({}, levels);
  const crossings = [...edges(words).flatMap((edge) => detector.edge(edge)), ...detector.advance(endOfTime)];
  const seen = crossings.map(({ at, direction }) => `${direction === 1 ? 'in' : 'out'}@${at}`).join(' ');
  return { seen, facts: detector.facts, detector };
}

const clearLevels: Levels = { a: false, b: false };

test.each([
  ['in', 'A@0 B@200 a@400 b@600', 'in@600'],
  ['out', 'B@0 A@200 b@400 a@600', 'out@600'],
  ['turns back from the first beam', 'A@0 a@300', ''],
  ['turns back under both beams', 'A@0 B@200 b@400 a@600', ''],
  ['turns back under the second beam', 'A@0 B@200 a@400 A@600 b@800 a@1000', ''],
  ['turns back outwards from the second beam', 'B@0 A@200 b@400 B@600 a@800 b@1000', ''],
  ['hesitates under the first beam', 'A@0 a@100 A@200 B@300 a@400 b@500', 'in@500'],
  ['hesitates under both beams', 'A@0 B@200 b@300 B@400 a@500 b@600', 'in@600'],
  ['swings an arm back from the second beam', 'A@0 B@200 a@400 A@450 a@500 b@600', 'in@600'],
  ['touches the second beam again when gone', 'A@0 B@200 a@400 b@600 B@650 b@750', 'in@600'],
  ['a follower', 'A@0 B@200 a@400 A@500 b@600 B@700 a@900 b@1100', 'in@600 in@1100'],
  ['a follower outwards', 'B@0 A@200 b@400 B@500 a@600 A@700 b@900 a@1100', 'out@600 out@1100'],
  [
    'two followers',
    'A@0 B@200 a@400 A@500 b@600 B@700 a@900 A@1000 b@1100 B@1200 a@1400 b@1600',
    'in@600 in@1100 in@1600',
  ],
  ['a follower who turns back under both', 'A@0 B@200 a@400 A@500 b@600 B@700 b@800 a@1000', 'in@600'],
  ['a follower who only enters, just like turning back', 'A@0 B@200 a@400 A@500 b@600 a@900', ''],
  ['a follower who steps back at once', 'A@0 B@200 a@400 A@500 a@550 b@600', 'in@600'],
  ['one after the other without a gap', 'A@0 B@200 a@400 A@600 b@600 B@800 a@1000 b@1200', 'in@600 in@1200'],
  ['leaves the first beam as it enters the second', 'A@0 a@200 B@200 b@400', 'in@400'],
  ['one in, then one out', 'A@0 B@200 a@400 b@600 B@700 A@900 b@1100 a@1300', 'in@600 out@1300'],
  ['one beam only, then the other only', 'A@0 a@200 B@300 b@500', ''],
  ['both beams at the same instant', 'A@0 B@0 a@200 b@400', ''],
  ['both beams at the same instant, one of which bounces', 'A@0 B@0 b@3 B@6 a@200 b@400', ''],
  ['both beams clear at the same instant', 'A@0 B@200 a@400 b@400', ''],
  ['a whole passage in 59 ms', 'A@0 B@20 a@40 b@59', ''],
  ['a whole passage in 60 ms', 'A@0 B@20 a@40 b@60', 'in@60'],
  ['a passage of a minute', 'A@0 B@20000 a@29000 b@49000', 'in@49000'],
  ['bounces on either flank', 'A@0 a@2 A@4 B@200 b@203 B@205 a@400 A@401 a@404 b@600 B@603 b@606', 'in@600'],
  ['spikes shorter than the debounce', 'A@0 a@5 B@100 b@104 A@200 a@207', ''],
  ['a lost edge between two people', 'A@0 B@200 a@400 A@500 B@700 a@900 b@1100', 'in@700 in@1100'],
  [
    'somebody out after a lost edge of somebody in',
    'A@0 B@200 b@600 B@9000 A@9200 b@9400 a@9600',
    'out@9600',
  ],
  ['somebody out minutes after that', 'A@0 B@200 b@600 B@300000 A@300200 b@300400 a@300600', 'out@300600'],
  ['an edge reported twice', 'A@0 A@100 B@200 a@400 a@450 b@600', 'in@600'],
])('counts exactly: %s', (_, words, seen) => {
  expect(detect(words).seen).toBe(seen);
  expect(detect(words, clearLevels).seen).toBe(seen);
});

test('a beam blocked for more than 30 s is an alarm, and nothing is counted from its clearing', () => {
  const { seen, facts } = detect('A@0 B@200 a@400 b@30201 A@40000 B@40200 a@40400 b@40600');
  expect(seen).toBe('in@40600');
  expect(facts).toMatchObject({ blocked: 1 });
});

test('nothing is counted past a blocked beam until both are clear', () => {
  const { seen } = detect('A@0 B@31000 b@31500 B@32000 a@32500 b@33000 B@34000 A@34200 b@34400 a@34600');
  expect(seen).toBe('out@34600');
});

test('reports a blocked beam, and its clearing, when time passes', () => {
  const detector = new Detector();
  detector.edge({ at: monotonicMs(1_000), beam: 'b', broken: true });
  detector.advance(monotonicMs(1_008));
  expect(detector.beams.b).toMatchObject({ state: 'clear', since: 1_000, breaks: 1 });
  expect(detector.nextDecision).toBe(31_001);
  detector.advance(monotonicMs(31_001));
  expect(detector.beams.b).toMatchObject({ state: 'blocked', since: 1_000, breaks: 1 });
  detector.edge({ at: monotonicMs(50_000), beam: 'b', broken: false });
  detector.advance(monotonicMs(50_008));
  expect(detector.beams.b).toMatchObject({ state: 'clear', since: 50_000, breaks: 1 });
});

test('counts nothing from beams that were broken at the start until both are clear', () => {
  const walk = 'b@600 A@1000 B@1200 a@1400 b@1600';
  expect(detect(walk, { a: false, b: true }).seen).toBe('in@1600');
  expect(detect(walk).seen).toBe('in@1600');
  expect(detect('A@100 b@200 B@300 a@500 b@700', { a: false, b: true }).seen).toBe('');
  expect(detect('A@100 b@200 B@300 a@500 b@700').seen).toBe('');
});

test('counts a person although the level of the second beam is unknown and it has a spike', () => {
  expect(detect('A@0 B@100 b@104 B@200 a@400 b@600').seen).toBe('in@600');
});

test('counts nothing from a beam that clears first, and was therefore broken at the start, although it bounces', () => {
  expect(detect('A@100 b@200 B@202 b@204 B@300 a@500 b@700').seen).toBe('');
});

test('decides a level that is not stable exactly after the longest bounce', () => {
  const bounces = Array.from({ length: 15 }, (_, index) => `${index % 2 ? 'a' : 'A'}@${7 * index}`);
  const detector = new Detector({}, clearLevels);
  for (const edge of edges(bounces.join(' '))) detector.edge(edge);
  detector.advance(monotonicMs(99));
  expect(detector.beams.a).toMatchObject({ broken: false });
  detector.advance(monotonicMs(100));
  expect(detector.beams.a).toMatchObject({ broken: true, since: 0 });
});

test('reports beams that cannot be read for more than 30 s as blocked until they are read again', () => {
  const detector = new Detector({}, clearLevels);
  const states = () => [detector.beams.a?.state, detector.beams.b?.state];
  const unknown = { a: undefined, b: undefined };
  detector.restart({ at: monotonicMs(1_000), levels: unknown });
  expect(detector.nextDecision).toBe(31_001);
  detector.restart({ at: monotonicMs(20_000), levels: unknown });
  detector.advance(monotonicMs(31_000));
  expect(states()).toEqual(['clear', 'clear']);
  detector.advance(monotonicMs(31_001));
  expect(states()).toEqual(['blocked', 'blocked']);
  expect(detector.beams.a?.since).toBe(1_000);

  detector.restart({ at: monotonicMs(90_000), levels: clearLevels });
  expect(states()).toEqual(['clear', 'clear']);
  const person = edges('A@91000 B@91200 a@91400 b@91600').flatMap((edge) => detector.edge(edge));
  expect([...person, ...detector.advance(endOfTime)]).toHaveLength(1);
});

test('continues an alarm about a blocked beam when reading restarts and it is still broken', () => {
  const detector = new Detector({}, clearLevels);
  for (const edge of edges('A@0')) detector.edge(edge);
  detector.advance(monotonicMs(40_000));
  detector.restart({ at: monotonicMs(50_000), levels: { a: true, b: false } });
  expect(detector.beams.a).toMatchObject({ state: 'blocked', since: 0 });
});

test('decides a crossing when its last edge has been quiet for the debounce time', () => {
  const detector = new Detector();
  for (const edge of edges('A@0 B@200 a@400 b@600')) expect(detector.edge(edge)).toEqual([]);
  expect(detector.nextDecision).toBe(608);
  expect(detector.advance(monotonicMs(607))).toEqual([]);
  expect(detector.advance(monotonicMs(608))).toEqual([{ at: 600, direction: 1 }]);
  expect(detector.nextDecision).toBe(endOfTime);
});
