import { expect, test } from 'vitest';
import type { Edge } from '../beams/beams.ts';
import { monotonicMs } from '../clock/time.ts';
import { Detector } from '../detector/detector.ts';
import { PathHistory } from './watch.ts';

test.each([
  ['A@0 B@200 a@400 b@600', ['a, both, b: IN']],
  ['B@0 A@200 b@400 a@600', ['b, both, a: OUT']],
  ['A@0 B@200 b@400 a@600', ['a, both, a: turned back']],
  ['B@0 b@300', ['b: touched one beam only']],
  ['A@0 B@200 a@400 A@500 b@600 B@700 a@900 b@1100', ['a, both, b, both, a: IN', 'both, b: IN']],
])('the path of %s is %j', (words, paths) => {
  const detector = new Detector();
  const history = new PathHistory();
  let entries = 0;
  let exits = 0;
  const look = () => ({ lastPath: detector.lastPath, in: entries, out: exits, facts: detector.facts });
  const seen = [...history.take(look())];
  const edges = words.split(' ').map((word): Edge => {
    const [letter = '', at] = word.split('@');
    return {
      at: monotonicMs(Number(at)),
      beam: letter.toLowerCase() === 'a' ? 'a' : 'b',
      broken: letter < 'a',
    };
  });
  for (const edge of edges) {
    for (const { direction } of [...detector.edge(edge), ...detector.advance(monotonicMs(edge.at + 50))]) {
      if (direction === 1) entries += 1;
      else exits += 1;
    }
    seen.push(...history.take(look()));
  }
  expect(seen).toEqual(paths);
});
