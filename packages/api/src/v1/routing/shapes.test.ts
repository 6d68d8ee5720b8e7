import { expect, test } from 'vitest';
import { page } from './shapes.ts';

test('continues after each of two keys that differ only in their normal form', () => {
  const [decomposed, composed] = ['Cafe\u0301', 'Caf\u00E9'];
  const after = (key: string) => page(['A', decomposed, composed], (one) => one, { after: key }).items;
  expect(after(decomposed)).toEqual([composed]);
  expect(after(composed)).toEqual([]);
});
