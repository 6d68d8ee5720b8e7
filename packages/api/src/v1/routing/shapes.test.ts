import { expect, test } from 'vitest';
import { page } from './shapes.ts';

test('continues after a key in any normal form, and after each of two keys that differ only in that', () => {
  const [decomposed, composed] = ['Cafe\u0301', 'Caf\u00E9'];
  const after = (keys: readonly string[], key: string) => page(keys, (one) => one, { after: key }).items;
  expect(after(['A', composed, 'Z'], decomposed)).toEqual(['Z']);
  expect(after(['A', decomposed, 'Z'], composed)).toEqual(['Z']);
  expect(after(['A', decomposed, composed], decomposed)).toEqual([composed]);
  expect(after(['A', decomposed, composed], composed)).toEqual([]);
});
