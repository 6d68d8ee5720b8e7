import { expect, test } from 'vitest';
import { CopyMemory } from './snapshot.ts';

test('gathers bytes in their order, and again from the beginning in the same memory', () => {
  const memory = new CopyMemory();
  for (const chunk of ['a', 'bc', 'def'.repeat(50)]) memory.add(Buffer.from(chunk));
  const first = memory.bytes;
  expect(String(first)).toBe(`abc${'def'.repeat(50)}`);

  memory.clear();
  memory.add(Buffer.from('xyz'));
  expect(String(memory.bytes)).toBe('xyz');
  expect(memory.bytes.buffer).toBe(first.buffer);
});
