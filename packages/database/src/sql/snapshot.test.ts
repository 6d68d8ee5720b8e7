import { expect, test } from 'vitest';
import { CopyMemory } from './snapshot.ts';

test('concatenates bytes in order, and reuses its memory after it was cleared', () => {
  const memory = new CopyMemory();
  for (const chunk of ['a', 'bc', 'def'.repeat(50)]) memory.add(Buffer.from(chunk));
  const first = memory.bytes;
  expect(String(first)).toBe(`abc${'def'.repeat(50)}`);

  memory.clear();
  memory.add(Buffer.from('xyz'));
  expect(String(memory.bytes)).toBe('xyz');
  expect(memory.bytes.buffer).toBe(first.buffer);
});
