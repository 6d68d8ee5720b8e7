import { readFile, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { extract, pack } from 'tar-stream';
import { type Manifest, manifestName, sealBytes, sha256Of } from '../src/backup/write-archive.ts';

/** What a test changes in a backup. */
export interface Rewrite {
  /** The rows of a part, as text. */
  readonly rows?: (table: string, text: string) => string;
  readonly manifest?: (manifest: Manifest) => Manifest;
}

/** Writes a changed copy of a backup, with checksums that are right. */
export async function rewriteArchive(file: string, changed: string, rewrite: Rewrite): Promise<void> {
  const { rows = (_table, text) => text, manifest: change = (manifest) => manifest } = rewrite;
  const entries = extract();
  entries.end((await readFile(file)).subarray(0, -sealBytes));
  const archive = pack();
  const parts: Manifest['parts'] = [];
  for await (const entry of entries) {
    const { name } = entry.header;
    let content = await buffer(entry);
    if (name === manifestName) {
      content = Buffer.from(JSON.stringify(change({ ...JSON.parse(content.toString()), parts })));
    } else {
      const table = name.split('/')[1] ?? '';
      content = zstdCompressSync(rows(table, zstdDecompressSync(content).toString()));
      parts.push({ name, bytes: content.length, sha256: sha256Of(content) });
    }
    archive.entry({ name }, content);
  }
  archive.finalize();
  const written = await buffer(archive);
  await writeFile(changed, Buffer.concat([written, Buffer.from(`${sha256Of(written)}\n`)]));
}
