import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { zstdDecompressSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { expect, test } from 'vitest';
import { buildDeb, type DebContent } from './build-deb.ts';

const content: DebContent = {
  files: [
    { path: '/DEBIAN/control', content: 'Package: some\nVersion: 1\n' },
    { path: '/DEBIAN/postinst', content: '#!/bin/sh\n', mode: 0o755 },
    { path: '/usr/lib/some/b.txt', content: 'b' },
    { path: '/usr/bin/some', content: '#!/bin/sh\n', mode: 0o755 },
  ],
  time: 1_700_000_000,
};

/** The members of an ar archive, by name. */
function members(archive: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = 8; at < archive.length; ) {
    const size = Number(archive.toString('latin1', at + 48, at + 58));
    found.set(archive.toString('latin1', at, at + 16).trim(), archive.subarray(at + 60, at + 60 + size));
    at += 60 + size + (size % 2);
  }
  return found;
}

async function entries(member: Buffer | undefined): Promise<string[]> {
  const list: string[] = [];
  for await (const entry of Readable.from([zstdDecompressSync(member ?? '')]).pipe(extract())) {
    const { name, mode = 0, type, uname, mtime } = entry.header;
    list.push(`${name} ${type} ${mode.toString(8)} ${uname} ${mtime?.getTime()} ${await text(entry)}`);
  }
  return list;
}

test('builds a package with format, control files and tree, all with one time and owned by root', async () => {
  const found = members(await buildDeb(content));
  expect([...found.keys()]).toEqual(['debian-binary', 'control.tar.zst', 'data.tar.zst']);
  expect(found.get('debian-binary')?.toString()).toBe('2.0\n');
  const control = (await entries(found.get('control.tar.zst'))).join('\n');
  expect(control).toContain('Package: some\nVersion: 1\nInstalled-Size: 2\n');
  expect(control).toContain('./postinst file 755 root');
  const tree = await entries(found.get('data.tar.zst'));
  expect(tree).toContain('./usr/bin/some file 755 root 1700000000000 #!/bin/sh\n');
  expect(tree).toContain('./usr/lib/some/ directory 755 root 1700000000000 ');
  expect(tree.join('\n')).not.toContain('DEBIAN');
});

test('builds the same bytes from the same content, in any order of files', async () => {
  const again = { ...content, files: content.files.toReversed() };
  expect((await buildDeb(content)).equals(await buildDeb(again))).toBe(true);
});

test('puts a file that is marked as last after all others', async () => {
  const files = content.files.map((file) => ({ ...file, isLast: file.path === '/usr/bin/some' }));
  const tree = await entries(members(await buildDeb({ ...content, files })).get('data.tar.zst'));
  expect(tree.at(-1)).toMatch(/^\.\/usr\/bin\/some file/);
});
