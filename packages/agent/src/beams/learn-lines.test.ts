import { expect, test } from 'vitest';
import { monotonicMs } from '../clock/time.ts';
import type { Edge } from './beams.ts';
import { learnLines } from './learn-lines.ts';

/** A walk through two beams by their letters, each changing twice. */
function walk(letters: string): Edge[] {
  return [...letters].map((letter, index) => ({
    at: monotonicMs(index * 100),
    beam: letter === 'a' ? 'a' : 'b',
    broken: index < letters.length / 2,
  }));
}

const low = { a: false, b: false };

test.each([
  [low, ['abab', 'abab', 'abab'], { swapped: false, activeLow: { a: false, b: false } }],
  [low, ['baba', 'baba', 'baba'], { swapped: true, activeLow: { a: false, b: false } }],
  [{ a: true, b: false }, ['abab', 'aabb', 'abba'], { swapped: false, activeLow: { a: true, b: false } }],
] as const)('at rest %j, walks %j show %j', (atRest, walks, learned) => {
  expect(learnLines(atRest, walks.map(walk))).toEqual(learned);
});

test.each([
  [low, ['abab', 'baba', 'abab'], /do not agree/],
  [low, ['aa', 'aa', 'abab'], /beam b stayed silent in 2 of 3 walks while a moved/],
  [{ a: undefined, b: false }, ['abab'], /levels of the lines are not known/],
] as const)('at rest %j, walks %j are not conclusive', (atRest, walks, problem) => {
  expect(learnLines(atRest, walks.map(walk))).toMatchObject({ problem: expect.stringMatching(problem) });
});
