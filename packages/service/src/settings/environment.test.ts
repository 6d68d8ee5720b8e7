import { expect, test } from 'vitest';
import { parseEnvironmentFile } from './environment.ts';

test.each([
  ['A=1\nB=two words\n', { A: '1', B: 'two words' }],
  ['# A=1\n ; B=2\nC=3 # no comment', { C: '3 # no comment' }],
  ['A="1 # two"\nB=\'$HOME "x"\'', { A: '1 # two', B: '$HOME "x"' }],
  ['A=one\\\ntwo\nB=3', { A: 'onetwo', B: '3' }],
  ['A="say \\"yes\\" for \\$5"', { A: 'say "yes" for $5' }],
  ['A=\nB = 1\nno assignment\n1C=2\nD=4\r\n', { A: '', D: '4' }],
  ['A=1\nA=2', { A: '2' }],
  ['URL=postgres://u@%2Fvar%2Frun/d?x=1&y=2   \n', { URL: 'postgres://u@%2Fvar%2Frun/d?x=1&y=2' }],
])('reads %j as systemd does', (text, expected) => {
  expect(parseEnvironmentFile(text)).toEqual(expected);
});
