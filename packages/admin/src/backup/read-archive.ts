import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { extract } from 'tar-stream';
import { Compile } from 'typebox/compile';
import {
  linesIn,
  type Manifest,
  manifestName,
  manifestSchema,
  sealBytes,
  tableOfPart,
} from './write-archive.ts';

const decompress = promisify(zstdDecompress);
const isManifest = Compile(manifestSchema);

/** The longest entry, and the longest part once it is decompressed (bytes). */
const longest = 256 * 1024 * 1024;

/** The file is not a complete backup; the message names the file and what was found. */
export class DamagedBackupError extends Error {
  override readonly name = 'DamagedBackupError';

  constructor(file: string, found: string) {
    super(`${file} is not a backup, or is damaged: ${found}`);
  }
}

/**
 * Reads the whole file and returns its manifest. Throws a DamagedBackupError unless the file has its checksum, and every
 * table the number of rows that the manifest names.
 */
export async function checkArchive(file: string): Promise<Manifest> {
  const rows = new Map<string, number>();
  let text: Buffer | undefined;
  for await (const { name, content } of entriesOf(file)) {
    const table = tableOfPart(name);
    if (name === manifestName) text = content;
    if (table !== undefined)
      rows.set(table, (rows.get(table) ?? 0) + linesIn(await decompressed(file, name, content)));
  }
  if (text === undefined) throw new DamagedBackupError(file, `${manifestName} is missing`);
  const manifest = manifestIn(file, text);
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

/** The rows of each table that has any, in the order of the file. Those that are not read before the next table are skipped. */
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
    for (let table = nameNow(); table !== undefined; table = nameNow()) {
      yield { table, rows: rowsOf(table) };
      while (nameNow() === table) next = await entries.next();
    }
  } finally {
    await entries.return(undefined);
  }
}

/** The SHA-256 at the end of the file, and the position of the last byte that it covers. */
async function readSeal(file: string): Promise<{ readonly end: number; readonly seal: string }> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    if (size <= sealBytes) throw new DamagedBackupError(file, `it has ${size} bytes`);
    const { buffer: line } = await handle.read(Buffer.alloc(sealBytes), 0, sealBytes, size - sealBytes);
    const seal = line.toString('latin1');
    if (!/^[0-9a-f]{64}\n$/.test(seal)) throw new DamagedBackupError(file, 'it does not end with a checksum');
    return { end: size - sealBytes - 1, seal: seal.trim() };
  } finally {
    await handle.close();
  }
}

/** Returns the chunks of the file, and fails at the end if the file does not have the checksum. */
async function* checkSeal(file: string, seal: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  const found = hash.digest('hex');
  if (found !== seal) throw new DamagedBackupError(file, `its SHA-256 is ${found}, expected ${seal}`);
}

async function decompressed(file: string, name: string, content: Buffer): Promise<Buffer> {
  return await decompress(content, { maxOutputLength: longest }).catch((error: Error) => {
    throw new DamagedBackupError(file, `${name} cannot be decompressed: ${error.message}`);
  });
}

/** The entries of the file, one at a time in memory. Errors of the file system are thrown as they are. */
async function* entriesOf(file: string): AsyncGenerator<{ readonly name: string; readonly content: Buffer }> {
  const entries = extract();
  const { end, seal } = await readSeal(file);
  const source = createReadStream(file, { end, highWaterMark: 1024 * 1024 });
  const reading = pipeline(source, (chunks: AsyncIterable<Buffer>) => checkSeal(file, seal, chunks), entries);
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
    throw new DamagedBackupError(file, 'its entries cannot be read');
  } finally {
    entries.destroy();
  }
}
