import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { extract } from 'tar-stream';
import { Compile } from 'typebox/compile';
import { checksumName, type Manifest, manifestName, manifestSchema, tableOfPart } from './manifest.ts';
import { linesIn, sha256Of } from './write-archive.ts';

const decompress = promisify(zstdDecompress);
const isManifest = Compile(manifestSchema);

/** The longest entry, and the longest part once it is decompressed (bytes). */
const longest = 256 * 1024 * 1024;

/** The file is not a complete backup; the message names the file, what was found and what was expected. */
export class DamagedBackupError extends Error {
  override readonly name = 'DamagedBackupError';

  constructor(file: string, found: string) {
    super(`${file} is no backup, or is damaged: ${found}`);
  }
}

/**
 * Reads the whole file and returns its manifest. Throws a DamagedBackupError unless every entry has the checksum, and
 * every table the number of rows, that the manifest names.
 */
export async function checkArchive(file: string): Promise<Manifest> {
  const found: Manifest['parts'] = [];
  const rows = new Map<string, number>();
  let text: Buffer | undefined;
  let checksum = '';
  for await (const { name, content } of entriesOf(file)) {
    const table = tableOfPart(name);
    if (name === manifestName) text = content;
    else if (name === checksumName) checksum = content.toString('latin1').slice(0, 64);
    else found.push({ name, bytes: content.length, sha256: sha256Of(content) });
    if (table !== undefined)
      rows.set(table, (rows.get(table) ?? 0) + linesIn(await decompressed(file, name, content)));
  }
  if (text === undefined) throw new DamagedBackupError(file, `${manifestName} is missing`);
  if (sha256Of(text) !== checksum)
    throw new DamagedBackupError(file, wrongSum(manifestName, sha256Of(text), checksum));
  const manifest = manifestIn(file, text);
  compareParts(file, found, manifest.parts);
  for (const table of manifest.tables) {
    const counted = rows.get(table.name) ?? 0;
    if (counted !== table.rows)
      throw new DamagedBackupError(file, `table ${table.name} has ${counted} rows, expected ${table.rows}`);
  }
  return manifest;
}

function manifestIn(file: string, text: Buffer): Manifest {
  const manifest: unknown = JSON.parse(text.toString());
  if (isManifest.Check(manifest)) return manifest;
  const [error] = isManifest.Errors(manifest);
  throw new DamagedBackupError(file, `${manifestName} ${error?.instancePath} ${error?.message}`);
}

function compareParts(file: string, found: Manifest['parts'], expected: Manifest['parts']): void {
  for (const [index, part] of expected.entries()) {
    const other = found[index];
    if (other?.name !== part.name)
      throw new DamagedBackupError(
        file,
        `entry ${index + 1} is ${other?.name ?? 'missing'}, expected ${part.name}`,
      );
    if (other.sha256 !== part.sha256)
      throw new DamagedBackupError(file, wrongSum(part.name, other.sha256, part.sha256));
  }
  if (found.length > expected.length)
    throw new DamagedBackupError(file, `it has ${found.length} entries, expected ${expected.length}`);
}

function wrongSum(name: string, found: string, expected: string): string {
  return `the SHA-256 of ${name} is ${found}, expected ${expected || 'a checksum'}`;
}

/** The rows of each table that has any, in the order of the file. Each must be read before the next one. */
export async function* readTables(
  file: string,
): AsyncGenerator<{ readonly table: string; readonly rows: AsyncIterable<Buffer> }> {
  const entries = entriesOf(file);
  let next = await entries.next();
  const nameNow = () => (next.done ? undefined : tableOfPart(next.value.name));
  async function* rowsOf(table: string): AsyncGenerator<Buffer> {
    while (!next.done && nameNow() === table) {
      yield await decompressed(file, next.value.name, next.value.content);
      next = await entries.next();
    }
  }
  try {
    for (let table = nameNow(); table !== undefined; table = nameNow()) yield { table, rows: rowsOf(table) };
  } finally {
    await entries.return(undefined);
  }
}

async function decompressed(file: string, name: string, content: Buffer): Promise<Buffer> {
  return await decompress(content, { maxOutputLength: longest }).catch((error: Error) => {
    throw new DamagedBackupError(file, `${name} cannot be decompressed: ${error.message}`);
  });
}

/** The entries of the file, one at a time in memory. Errors of the file system are thrown as they are. */
async function* entriesOf(file: string): AsyncGenerator<{ readonly name: string; readonly content: Buffer }> {
  const entries = extract();
  const reading = pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), entries);
  reading.catch(() => {});
  try {
    for await (const entry of entries) {
      const { name, size = 0 } = entry.header;
      if (size > longest) throw new DamagedBackupError(file, `${name} has ${size} bytes`);
      yield { name, content: await buffer(entry) };
    }
    await reading;
  } catch (error) {
    if (error instanceof DamagedBackupError || (error instanceof Error && 'syscall' in error)) throw error;
    throw new DamagedBackupError(file, error instanceof Error ? error.message : String(error));
  } finally {
    entries.destroy();
  }
}
