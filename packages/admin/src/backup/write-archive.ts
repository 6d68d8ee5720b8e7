import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import type { BackupSource } from '@visitor-counter/database/backup/open-backup';
import type { TableContent } from '@visitor-counter/database/backup/schema-content';
import { type Pack, pack } from 'tar-stream';
import Type, { type Static } from 'typebox';
import manifestOfProduct from '../../../../package.json' with { type: 'json' };

const count = Type.Integer({ minimum: 0 });
const text = Type.String({ maxLength: 1_000 });

/** The manifest: the content of a backup. It is the last entry of the file. */
export const manifestSchema = Type.Object({
  /** The version of this format. */
  format: Type.Literal(1),
  /** The version of the product that wrote it. */
  product: text,
  /** When the snapshot began (RFC 3339). */
  createdAt: text,
  /** The version of the PostgreSQL server. */
  server: text,
  installation: text,
  /** The migrations that were applied: the version of the schema. */
  migrations: Type.Array(text),
  tables: Type.Array(Type.Object({ name: text, columns: Type.Array(text), rows: count })),
  /** The positions of the numbers that identity columns issue. */
  positions: Type.Array(
    Type.Object({
      table: text,
      column: text,
      last: Type.String({ pattern: '^-?[0-9]{1,19}$' }),
      isIssued: Type.Boolean(),
    }),
  ),
});

export type Manifest = Static<typeof manifestSchema>;

/** The entry with the manifest. */
export const manifestName = 'manifest.json';

/** The length of the last line of the file (bytes): the SHA-256 of everything before it, and a line feed. */
export const sealBytes = 65;

/** The name of the entry with a part of a table's rows: lines of COPY's text format, compressed with zstd. */
function partName(table: string, part: number): string {
  return `tables/${table}/${String(part).padStart(6, '0')}.zst`;
}

/** The table of an entry; undefined for an entry that is not a part of one. */
export function tableOfPart(name: string): string | undefined {
  return /^tables\/(.+)\/\d{6,}\.zst$/.exec(name)?.[1];
}

const compress = promisify(zstdCompress);

/** How many bytes of rows are compressed as one part, and are in memory. */
const partBytes = 4 * 1024 * 1024;

/**
 * Writes all rows of a source into a new tar file that only its owner can read, and waits until it is on disk. Memory
 * does not grow with the number of rows.
 */
export async function writeArchive(file: string, source: BackupSource): Promise<void> {
  const createdAt = new Date().toISOString();
  const archive = pack();
  const written = pipeline(seal(archive), createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }));
  const filled = fill(archive, source, createdAt).catch((error: Error) => {
    archive.destroy(error);
    throw error;
  });
  /* Both reject if one does; the first reason is the one to report. */
  await Promise.all([written, filled]);
}

async function fill(archive: Pack, source: BackupSource, createdAt: string): Promise<void> {
  const tables: Manifest['tables'] = [];
  for (const table of source.tables) {
    const rows = await addTable(archive, source, table);
    tables.push({ name: table.name, columns: [...table.columns], rows });
  }
  const { server, installation } = source;
  const manifest: Manifest = {
    format: 1,
    product: manifestOfProduct.version,
    createdAt,
    server,
    installation,
    migrations: [...source.migrations],
    tables,
    positions: await source.positions(),
  };
  const text = Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`);
  await addEntry(archive, manifestName, text);
  archive.finalize();
}

/** Adds a line with the SHA-256 of everything before it, after the end of the archive, where `tar` ignores it. */
async function* seal(archive: Pack): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of archive) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('the archive returned something other than bytes');
    hash.update(chunk);
    yield chunk;
  }
  yield Buffer.from(`${hash.digest('hex')}\n`);
}

/** Adds the rows of a table in parts and returns their number. */
async function addTable(archive: Pack, source: BackupSource, table: TableContent): Promise<number> {
  let rows = 0;
  let number = 0;
  for await (const part of partsOf(source.copy(table))) {
    rows += linesIn(part);
    number += 1;
    await addEntry(archive, partName(table.name, number), await compress(part));
  }
  return rows;
}

async function* partsOf(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of rows) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < partBytes) continue;
    yield Buffer.concat(chunks);
    [chunks, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(chunks);
}

/** Waits until the content is written, so that a slow disk slows the copy. */
function addEntry(archive: Pack, name: string, content: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const entry = archive.entry({ name, size: content.length, mode: 0o600 }, (error) => {
      if (error) reject(error);
      else resolve();
    });
    entry.end(content);
  });
}

/** COPY writes a row as one line, and a line feed in a value as an escape. */
export function linesIn(content: Buffer): number {
  let lines = 0;
  for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, at + 1)) lines += 1;
  return lines;
}
