import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { extract, pack } from 'tar-stream';
import { type Manifest, manifestName, sealBytes } from '../src/backup/write-archive.ts';

/** The changes that a test makes in a backup. */
export interface Rewrite {
  /** The rows of a part, as text. */
  readonly rows?: (table: string, text: string) => string;
  readonly manifest?: (manifest: Manifest) => Manifest;
}

/** Writes a changed copy of a backup, with a checksum that is right. */
export async function rewriteArchive(file: string, changed: string, rewrite: Rewrite): Promise<void> {
  const { rows = (_table, text) => text, manifest: change = (manifest) => manifest } = rewrite;
  const entries = extract();
  entries.end((await readFile(file)).subarray(0, -sealBytes));
  const archive = pack();
  for await (const entry of entries) {
    const { name } = entry.header;
    let content = await buffer(entry);
    if (name === manifestName) {
      content = Buffer.from(JSON.stringify(change(JSON.parse(content.toString()))));
    } else {
      const table = name.split('/')[1] ?? '';
      content = zstdCompressSync(rows(table, zstdDecompressSync(content).toString()));
    }
    archive.entry({ name }, content);
  }
  archive.finalize();
  const written = await buffer(archive);
  const sum = createHash('sha256').update(written).digest('hex');
  await writeFile(changed, Buffer.concat([written, Buffer.from(`${sum}\n`)]));
}
