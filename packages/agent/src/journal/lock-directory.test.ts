import { mkdir, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { JournalInUse } from './journal-errors.ts';
import { isLocked, lockDirectory } from './lock-directory.ts';

test('locks a directory for one process at a time', async () => {
  const folder = await temporaryFolder();
  const unlock = await lockDirectory(folder);
  await expect(lockDirectory(join(folder, '../', folder.split('/').at(-1) ?? ''))).rejects.toThrow(
    JournalInUse,
  );
  expect(await isLocked(folder)).toBe(true);
  await unlock();
  expect(await isLocked(folder)).toBe(false);
  await (await lockDirectory(folder))();
});

test('locks no other directory after the locked one is removed', async () => {
  const folder = await temporaryFolder();
  const locked = join(folder, 'locked');
  await mkdir(locked);
  const { ino } = await stat(locked);
  const unlock = await lockDirectory(locked);
  await rmdir(locked);
  /* Without the lock, the file system would use the inode again for one of these. */
  const others = Array.from({ length: 50 }, (_, index) => join(folder, String(index)));
  for (const other of others) {
    await mkdir(other);
    expect((await stat(other)).ino).not.toBe(ino);
    expect(await isLocked(other)).toBe(false);
  }
  await unlock();
});
