import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { type FileSystem, overwrite, writeDurably } from './file-system.ts';
import { isDiskFull } from './journal-errors.ts';
import { type Retries, readJson } from './retries.ts';

const Whole = Type.Integer({ minimum: 0 });

const Acknowledged = Type.Object({
  journal: Type.String(),
  /** The last sequence that the server has acknowledged. */
  through: Whole,
  /** The instant of that crossing (epoch ms). */
  at: Whole,
  /** Sequences declared lost, first and last of each range. */
  lost: Type.Array(Type.Tuple([Whole, Whole])),
  /** For how long an agent has run with this journal folder, in total (ms). */
  ran: Whole,
  /** Pairs of an acknowledged sequence and the total running time (ms) when it was acknowledged, oldest first. */
  marks: Type.Array(Type.Tuple([Whole, Whole])),
  /** The sequence of the last crossing, if those that are only in memory were on the disk; 0 if it was not stored. */
  counted: Whole,
  /** The device of the journal, for people who read a card without its unit. */
  serial: Type.Optional(Type.String()),
});

/** How far the server has acknowledged a journal, as stored in its folder. */
export type Acknowledged = Static<typeof Acknowledged>;

/* The CRC-32 of the other fields: a flipped bit must not acknowledge crossings. Earlier versions wrote none. */
const Stored = Type.Intersect([Acknowledged, Type.Object({ checksum: Type.Optional(Whole) })]);

const stored = Compile(Stored);
const fileName = 'acknowledged.json';

/** The position before the first acknowledgement. */
export function firstPosition(journal: string): Acknowledged {
  return { journal, through: 0, at: 0, lost: [], ran: 0, marks: [], counted: 0 };
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
  const check = (value: unknown): value is Static<typeof Stored> => stored.Check(value) && isWhole(value);
  const { value } = await readJson(files, join(directory, fileName), check, retries);
  if (value === undefined) return undefined;
  const { checksum: _, ...position } = value;
  return position;
}

function isWhole({ checksum, ...position }: Static<typeof Stored>): boolean {
  return checksum === undefined || checksum === checksumOf(position);
}

function checksumOf(position: Acknowledged): number {
  return crc32(JSON.stringify(position));
}

/** Stores a position in the folder of its journal; it is durable when this resolves, unless the disk is full. */
export async function writeAcknowledged(
  files: FileSystem,
  directory: string,
  position: Acknowledged,
): Promise<void> {
  const content = Buffer.from(JSON.stringify({ ...position, checksum: checksumOf(position) }));
  const path = join(directory, fileName);
  /* A position that cannot be stored would prevent freeing the disk. If a power cut damages it, crossings are sent
     again. */
  await writeDurably(files, path, content).catch((error: unknown) => {
    if (isDiskFull(error)) return overwrite(files, path, content);
    throw error;
  });
}
