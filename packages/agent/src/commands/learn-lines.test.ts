import { expect, test } from 'vitest';
import { learnLines, type Walk } from './learn-lines.ts';

const lines = { a: { line: 'GPIO17' }, b: { line: 'GPIO27' } };
const clear = { a: false, b: false };
const ab: Walk = ['a', 'b'];
const ba: Walk = ['b', 'a'];

const line = (name: string, activeLow: boolean) => ({ line: name, activeLow });

test.each([
  [clear, [ab, ab, ab], { a: line('GPIO17', false), b: line('GPIO27', false) }],
  [clear, [ba, ba, ba], { a: line('GPIO27', false), b: line('GPIO17', false) }],
  [{ a: true, b: false }, [ba, ba, ba], { a: line('GPIO27', false), b: line('GPIO17', true) }],
])('at rest %j, walks %j show %j', (atRest, walks, learned) => {
  expect(learnLines(atRest, walks, lines)).toEqual(learned);
});

test('a beam that is broken at rest at a low level is broken at a high one', () => {
  const wired = { ...lines, a: line('GPIO17', true) };
  expect(learnLines({ a: true, b: false }, [ab], wired)).toMatchObject({ a: line('GPIO17', false) });
});

test.each([
  [[ab, ba, ab], /do not agree/],
  [[['a'], ['a'], ab], /beam b stayed silent in 2 of 3 walks while a moved/],
] as const)('walks %j are not conclusive', (walks, problem) => {
  expect(learnLines(clear, walks, lines)).toMatchObject({ problem: expect.stringMatching(problem) });
});
