import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { beforeEach, expect, test } from 'vitest';
import { makeDataFolder } from './embedded-database.ts';

let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
});

test('creates a folder with its parents, and leaves an existing one unchanged', async () => {
  const data = join(folder, 'shop', 'data');
  await makeDataFolder(data);
  await writeFile(join(data, 'kept'), '');
  await makeDataFolder(data);
  expect((await stat(join(data, 'kept'))).isFile()).toBe(true);
});

test.each([['file'], ['file/below']])(
  'names the setting and what is expected if the path is not a folder: %s',
  async (name) => {
    await writeFile(join(folder, 'file'), '');
    await expect(makeDataFolder(join(folder, name))).rejects.toThrow(
      /^DATA_DIR is ".*": expected a folder that this user can make and write \((EEXIST|ENOTDIR): /,
    );
  },
);
