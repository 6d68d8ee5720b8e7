import type { Crossing } from '@visitor-counter/domain/crossing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type MemoryFiles, memoryFileSystem } from '../../test/memory-file-system.ts';
import { openJournal } from './open-journal.ts';

const tenMinutes = 600_000;

/**
 * A journal with segments of 4 crossings that keeps no acknowledged ones. `store` runs before each write of the acknowledged
 * position.
 */
async function journalOf(count: number, store: (contents: MemoryFiles) => void | Promise<void>) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const contents: MemoryFiles = new Map();
  const memory = memoryFileSystem(contents);
  const create = async (path: string) => {
    if (path.startsWith('/acknowledged')) await store(contents);
    return memory.create(path);
  };
  const files = { ...memory, create };
  const journal = await openJournal('/', { files, recordsPerSegment: 4, keepWithin: 0 });
  await journal.append(
    Array.from({ length: count }, (_, index): Crossing => ({ at: index + 1, direction: 1 })),
  );
  return journal;
}

test('stores the acknowledged position after ten minutes, or once a second after 500 acknowledgements', async () => {
  let stored = 0;
  const journal = await journalOf(2_000, () => {
    stored += 1;
  });
  const storedAfter = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    return stored;
  };
  stored = 0;
  journal.acknowledge(1, 1);
  expect(await storedAfter(tenMinutes - 1)).toBe(0);
  expect(await storedAfter(1)).toBe(1);

  journal.acknowledge(2, 2);
  journal.acknowledge(501, 501);
  expect(await storedAfter(999)).toBe(1);
  journal.acknowledge(600, 600);
  expect(await storedAfter(1)).toBe(2);

  journal.acknowledge(601, 601);
  expect(await storedAfter(tenMinutes - 1)).toBe(2);
  expect(await storedAfter(1)).toBe(3);
  await journal.close();
  expect(stored).toBe(3);
});

test('does not store the acknowledged position after it is closed, even if the disk failed', async () => {
  let isFailing = false;
  const tried: string[] = [];
  const journal = await journalOf(1, () => {
    tried.push('position');
    if (isFailing) throw new Error('EIO');
  });
  journal.acknowledge(1, 1);
  isFailing = true;
  await journal.close();
  tried.length = 0;

  await vi.advanceTimersByTimeAsync(tenMinutes);

  expect(tried).toEqual([]);
});

test('removes a segment only when the position after it is stored, even if it is acknowledged meanwhile', async () => {
  let stored = Promise.resolve();
  let segments: string[] = [];
  const journal = await journalOf(12, (contents) => {
    segments = [...contents.keys()].filter((path) => path.endsWith('.journal'));
    return stored;
  });
  const disk = Promise.withResolvers<void>();
  stored = disk.promise;
  journal.acknowledge(4, 4);
  await vi.advanceTimersByTimeAsync(tenMinutes);
  journal.acknowledge(8, 8);
  disk.resolve();
  await journal.close();

  expect(segments).toEqual(['/0000000000000005.journal', '/0000000000000009.journal']);
});
