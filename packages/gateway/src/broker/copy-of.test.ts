import { expect, test } from 'vitest';
import { copyOf } from './copy-of.ts';

test('copies into memory that holds nothing else, and knows nothing of what it was copied from', () => {
  const bytes = Buffer.from('abcdef');

  const copy = copyOf(bytes, 1, 4);
  bytes.fill(0);

  expect(copy.toString()).toBe('bcd');
  expect(copy.buffer.byteLength).toBe(3);
});
