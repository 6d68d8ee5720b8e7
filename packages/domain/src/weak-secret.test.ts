import { expect, test } from 'vitest';
import { weaknessOf } from './weak-secret.ts';

test.each([
  ['', 'at least 16 characters'],
  ['short', 'at least 16 characters'],
  ['aaaaaaaaaaaaaaaaaaaaaaaa', 'at least 6 different characters'],
  ['abcabcabcabcabcabcabc', 'at least 6 different characters'],
  ['a secret of the file', undefined],
  ['3f0a9c1e7b2d4a6f', undefined],
])('%j lacks: %s', (secret, lacks) => expect(weaknessOf(secret)).toBe(lacks));
