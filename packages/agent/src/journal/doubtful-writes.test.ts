import { expect, onTestFinished, test } from 'vitest';
import { failingDisk } from '../../test/failing-file-system.ts';
import { memoryFileSystem } from '../../test/memory-file-system.ts';
import { openJournal } from './open-journal.ts';

const people = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ at: (index + 1) * 1_000, direction: 1 as const }));

/** A file system that becomes read-only at the next `operation` on a journal file, which itself still reports success. */
function diskThatBecomesReadOnly(contents: Map<string, Buffer>, operation: string) {
  const disk = { isArmed: false, isReadOnly: false };
  const before = (next: string, path: string) => {
    if (disk.isArmed && next === operation && path.endsWith('.journal')) disk.isReadOnly = true;
  };
  const { files } = failingDisk(contents, { before, torn: 1 });
  const assertWritable = async () => {
    if (disk.isReadOnly) throw Object.assign(new Error('read-only'), { code: 'EROFS' });
  };
  return { disk, files: { ...files, assertWritable } };
}

test('neither stores nor delivers from memory what was synced on a file system that became read-only', async () => {
  const { disk, files } = diskThatBecomesReadOnly(new Map(), 'sync');
  const journal = await openJournal('/', { files, retryEvery: 60_000 });
  onTestFinished(() => journal.close());
  await journal.append(people(1));
  disk.isArmed = true;
  void journal.append(people(2)).catch(() => {});
  await expect.poll(() => journal.isHolding).toBe(true);
  expect(journal).toMatchObject({ recorded: 1, held: 2 });
  expect(await journal.volatile.read(1, 10)).toEqual([]);
});

test('sends nothing of the last segment if the file system becomes read-only while it is written again', async () => {
  const contents = new Map();
  const earlier = await openJournal('/', { files: memoryFileSystem(contents) });
  await earlier.append(people(2));
  await earlier.close();
  const { disk, files } = diskThatBecomesReadOnly(contents, 'rename');
  disk.isArmed = true;
  const journal = await openJournal('/', { files, retryEvery: 60_000 });
  onTestFinished(() => journal.close());
  expect(journal.isHolding).toBe(true);
  expect(await journal.read(1, 10)).toEqual([]);
});

test('writes one crossing at a time while writing fails, so that only one is in doubt', async () => {
  let writes = 0;
  const before = (operation: string, path: string) => {
    if (!path.endsWith('.journal')) return;
    if (operation === 'write') writes += 1;
    if (operation === 'write' || (operation === 'truncate' && writes > 1))
      throw Object.assign(new Error('EIO'), { code: 'EIO' });
  };
  const { files } = failingDisk(new Map(), { before, torn: 1 });
  const journal = await openJournal('/', { files, retryEvery: 1 });
  onTestFinished(() => journal.close());
  void journal.append(people(3)).catch(() => {});
  await expect.poll(() => writes).toBe(2);
  expect(await journal.volatile.read(1, 10)).toMatchObject([{ at: 2_000 }, { at: 3_000 }]);
});
