import { expect, inject, onTestFinished, test } from 'vitest';
import { connect } from './connect.ts';
import { CopyMemory, openSnapshot } from './snapshot.ts';

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

test('takes no snapshot for a reader that has left while it waited for a connection', async () => {
  const database = connect(inject('databaseServer'), { applicationName: 'test', maxConnections: 1 });
  onTestFinished(() => database.close());
  const other = await database.pool.connect();
  const reader = new AbortController();
  const opening = openSnapshot(database, reader.signal);
  reader.abort(new Error('the reader has left'));
  other.release();
  await expect(opening).rejects.toThrow('the reader has left');
});
