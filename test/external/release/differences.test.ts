import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildDeb } from '@visitor-counter/packaging/deb/build-deb';
import { temporaryFolder } from '@visitor-counter/test/temporary-folder';
import { expect, test } from 'vitest';
import { differences } from './differences.ts';

test('names the file within a package that differs, and the place in it', async () => {
  const folder = await temporaryFolder();
  const one = await release(join(folder, 'one'), {
    build: '0123456789ab',
    text: 'const folder = "/home/one";',
  });
  const other = await release(join(folder, 'two'), {
    build: 'ba9876543210',
    text: 'const folder = "/srv/two";',
  });
  expect(await differences(one, one)).toEqual([]);
  const [first, ...others] = await differences(one, other);
  expect(first).toBe(
    'apt/program.deb: usr/lib/program/*/main.mjs: ' +
      JSON.stringify('const folder = "/home/one";') +
      ' and ' +
      JSON.stringify('const folder = "/srv/two";'),
  );
  expect(others).toEqual([expect.stringContaining('SHA256SUMS'), expect.stringContaining('DEBIAN/md5sums')]);
});

/** A release with a package of one file, in a folder that is named after its content. */
async function release(folder: string, { build, text }: { build: string; text: string }): Promise<string> {
  const control = { Package: 'program', Version: '1', Architecture: 'all', Maintainer: 'nobody <n@example>' };
  const files = [{ path: `/usr/lib/program/${build}/main.mjs`, content: text }];
  await mkdir(join(folder, 'apt'), { recursive: true });
  await writeFile(join(folder, 'apt/program.deb'), await buildDeb({ control, scripts: {}, files, time: 0 }));
  await writeFile(join(folder, 'SHA256SUMS'), text);
  return folder;
}
