import { join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { FileSystem, OpenFile } from './file-system.ts';
import { isDiskFull } from './journal-errors.ts';
import type { Retries } from './retries.ts';
import { parsedJson, readSmallFile, writeDurably } from './small-file.ts';

const Whole = Type.Integer({ minimum: 0 });

const Acknowledged = Type.Object({
  journal: Type.String(),
  through: Whole,
  at: Whole,
  /** Sequences declared lost, first and last of each range. Files of older versions have none. */
  lost: Type.Optional(Type.Array(Type.Tuple([Whole, Whole]))),
  /** For how long an agent has run with this journal folder, in total (ms). */
  ran: Type.Optional(Whole),
  /** Pairs of an acknowledged sequence and the total running time (ms) when it was acknowledged, oldest first. */
  marks: Type.Optional(Type.Array(Type.Tuple([Whole, Whole]))),
  /** The sequence of the last crossing, if those that are only in memory were on the disk. */
  counted: Type.Optional(Whole),
  /** The device of the journal, for anyone who reads a card without its unit. */
  serial: Type.Optional(Type.String()),
});

/**
 * The last sequence that the server has acknowledged, the instant of that crossing (epoch ms), the sequences that are
 * declared lost, the history of acknowledgements, and the last sequence including crossings that are only in memory.
 */
export type Acknowledged = Required<Omit<Static<typeof Acknowledged>, 'serial'>>;

const acknowledged = Compile(Acknowledged);
const fileName = 'acknowledged.json';

/** A position without lost sequences and without a history of acknowledgements. */
export function positionAt(journal: string, through: number, at: number): Acknowledged {
  return { journal, through, at, lost: [], ran: 0, marks: [], counted: 0 };
}

/**
 * The acknowledged position that was stored last; undefined if the file is missing, damaged, or stays unreadable. Then the
 * remaining crossings are sent again, which is harmless.
 */
export async function readAcknowledged(
  files: FileSystem,
  directory: string,
  retries: Retries,
): Promise<Acknowledged | undefined> {
  const file = await readSmallFile(files, join(directory, fileName), parse, retries);
  return 'value' in file ? file.value : undefined;
}

/** The serial of the device that has written a journal; undefined if it is not in the folder. */
export async function readSerial(
  files: FileSystem,
  directory: string,
  retries: Retries,
): Promise<string | undefined> {
  const parseSerial = (text: string) => parsedJson(text, (parsed) => acknowledged.Check(parsed));
  const file = await readSmallFile(files, join(directory, fileName), parseSerial, retries);
  return 'value' in file ? file.value.serial : undefined;
}

function parse(text: string): Acknowledged | undefined {
  const value = parsedJson(text, (parsed) => acknowledged.Check(parsed));
  return value && { ...positionAt(value.journal, value.through, value.at), ...value };
}

/**
 * Stores the position. On a full disk the file is overwritten, for which there is always room: if a power cut damages it,
 * crossings are sent again, while a position that cannot be stored would prevent freeing the disk.
 */
export async function writeAcknowledged(
  files: FileSystem,
  directory: string,
  position: Acknowledged,
  serial: string | undefined,
): Promise<void> {
  const path = join(directory, fileName);
  const content = Buffer.from(JSON.stringify({ ...position, serial }));
  try {
    await writeDurably(files, directory, path, content);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    await overwrite(await files.open(path), content);
  }
}

async function overwrite(file: OpenFile, content: Buffer): Promise<void> {
  try {
    await file.write(content, 0);
    await file.truncate(content.length);
    await file.sync();
  } finally {
    await file.close();
  }
}
