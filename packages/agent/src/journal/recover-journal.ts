import { join } from 'node:path';
import { type Acknowledged, firstPosition, readAcknowledged } from './acknowledged-file.ts';
import { type FoundBootTimes, joinedInstants, type KnownInstants, readBootTimes } from './boot-times.ts';
import type { FileSystem } from './file-system.ts';
import { asUnreadable, JournalUnreadable } from './journal-errors.ts';
import type { JournalContent } from './journal-state.ts';
import { areWithin, type LostRange, mergedRanges } from './lost-ranges.ts';
import { type JudgedSegment, readStart, scanSegment } from './read-segment.ts';
import { type Attempt, diskResult, type Retries } from './retries.ts';
import {
  checksumSeed,
  decodeHeader,
  endOf,
  firstOfSegment,
  headerSize,
  newJournalId,
  type Segment,
  segmentName,
} from './segment-format.ts';

/** The content of a journal's folder after repair. */
export interface Recovered {
  readonly content: JournalContent;
  readonly acknowledged: Acknowledged;
  /** Whether the position was found; else `acknowledged` is derived from the segments. */
  readonly positionStored: boolean;
  /** Sequences that were never acknowledged, cannot be read any more, and are not declared lost yet. */
  readonly lost: readonly LostRange[];
  /** The records of the last segment; undefined if there is none, it is set aside, or the disk cannot read all of it. */
  readonly end: Buffer | undefined;
  readonly bootTimes: FoundBootTimes;
  /** Names of files that the disk can read, without a valid header or record; renamed to `*.damaged`, if that is possible. */
  readonly setAside: readonly string[];
}

/**
 * Reads the files of a journal. A torn tail, of crossings that were never reported as stored, is ignored; damage before it
 * is reported. If the disk cannot read a sector of the last segment, records after it may have been reported as stored:
 * all its sequences count as used, and a new segment is begun.
 *
 * An acknowledged sequence is never used again: the server would treat the next crossing with that number as a
 * redelivery.
 *
 * After disk errors, reading is retried first. Rejects with JournalUnreadable, without any change, if the disk still
 * cannot read information that is nowhere else in the folder.
 */
export async function recoverJournal(
  files: FileSystem,
  directory: string,
  retries: Retries,
): Promise<Recovered> {
  const folder = { files, directory, retries };
  const stored = await readAcknowledged(files, directory, retries);
  const {
    journal = stored?.journal ?? newJournalId(),
    found,
    incomplete,
  } = await findJournal(folder, stored);
  const acknowledged = stored?.journal === journal ? stored : firstPosition(journal);
  const judged = await judgeSegments(folder, found, acknowledged);
  const bootTimes = await readBootTimes(files, directory, retries);
  const clocks = new Map(bootTimes.boots.map((known) => [known.boot, known]));
  const kept = judged.filter(({ readable }) => readable);
  const setAside = judged.filter(({ readable }) => !readable).map(({ segment }) => segmentName(segment));
  /* Nothing is changed before everything is read. */
  for (const name of incomplete) await diskResult(files.remove(join(directory, name)));
  /* A file that keeps its name is set aside again at the next start, with the same result. */
  for (const name of setAside)
    await diskResult(files.rename(join(directory, name), join(directory, `${name}.damaged`)));
  const last = kept.at(-1);
  const isEndUsable = last === judged.at(-1);
  /* Without a usable segment and without its id, the file names are not those of the journal that continues. */
  const isSame = last !== undefined || stored !== undefined;
  const first = isSame ? (found[0] ?? 1) : 1;
  const end = isSame ? endOf(judged.at(-1)?.segment ?? { first: 1, count: 0 }) : 0;
  /* Sequences that are acknowledged or declared lost are not used again. */
  const used = Math.max(end, acknowledged.through, ...acknowledged.lost.map(([, through]) => through));
  const segments = kept.map(({ segment }) => segment);
  const begin: KnownInstants = { latestInstant: acknowledged.at, undated: [], begun: undefined };
  return {
    content: {
      journal,
      segments: continuedAfter(used, isEndUsable, segments),
      recorded: used,
      recordedAt: Math.max(acknowledged.at, ...segments.map(({ lastAt }) => lastAt)),
      clocks,
      ...kept.reduce((before, { instants }) => joinedInstants(before, instants, clocks), begin),
    },
    /* Without a stored position: only acknowledged segments are removed, so everything before the first one is. */
    acknowledged: { ...acknowledged, through: Math.max(acknowledged.through, stored ? 0 : first - 1) },
    positionStored: stored !== undefined,
    lost: isSame ? undeclared(judged, stored && first, acknowledged) : [],
    end: last?.records,
    bootTimes,
    setAside,
  };
}

/** Seals the last segment if sequences after it were used: up to `used`, or in a file that is set aside. */
export function continuedAfter(
  used: number,
  isEndUsable: boolean,
  segments: readonly Segment[],
): readonly Segment[] {
  const last = segments.at(-1);
  if (last === undefined || (isEndUsable && endOf(last) >= used)) return segments;
  return [...segments.slice(0, -1), { ...last, sealed: true }];
}

interface Folder {
  readonly files: FileSystem;
  readonly directory: string;
  readonly retries: Retries;
}

/**
 * Finds the first sequences of a folder's segments, in order, and the names of incomplete files. The id of the journal is
 * that of the last readable header; undefined if there is none, then the id in `stored`, the acknowledged position, is
 * valid. Rejects with JournalUnreadable if the disk cannot read the folder, or none of the places that contain the id:
 * beginning another journal next to crossings that may become readable later would lose them.
 */
export async function findJournal(
  { files, directory, retries }: Folder,
  stored: Acknowledged | undefined,
): Promise<{
  readonly found: readonly number[];
  readonly incomplete: readonly string[];
  readonly journal: string | undefined;
}> {
  const { value: names, failure: unlisted } = await retries.until(() => diskResult(files.list(directory)));
  if (!names) throw new JournalUnreadable(directory, 'its folder', unlisted);
  const found = names.toSorted().flatMap((name) => firstOfSegment(name) ?? []);
  const paths = found.map((first) => join(directory, segmentName({ first })));
  const { journal, failure } = await retries.until(() => findId(files, paths));
  if (journal === undefined && failure && !stored)
    throw new JournalUnreadable(directory, 'no readable file contains its id', failure);
  return { found, incomplete: names.filter((name) => name.endsWith('.new')), journal };
}

/** Reads only headers: a folder may be larger than the memory of a small unit. */
async function findId(files: FileSystem, paths: readonly string[]): Promise<Attempt & { journal?: string }> {
  let failure: Error | undefined;
  for (const path of paths.toReversed()) {
    const start = await readStart(files, path, headerSize);
    const header = decodeHeader(start.bytes);
    if (header) return { journal: header.journal, isGood: true };
    failure ??= start.failure;
  }
  return { failure, isGood: paths.length === 0 };
}

async function judgeSegments(
  { files, directory, retries }: Folder,
  found: readonly number[],
  { journal, through, lost }: Acknowledged,
): Promise<JudgedSegment[]> {
  const done = mergedRanges([[0, through], ...lost]);
  const isDone = (range: LostRange) => areWithin([range], done);
  const judged: JudgedSegment[] = [];
  for (const [index, first] of found.entries()) {
    const options = { first, nextFirst: found[index + 1], seed: checksumSeed(journal), retries, isDone };
    judged.push(
      await scanSegment(files, directory, options).catch((error: unknown) => {
        throw asUnreadable(directory, segmentName({ first }), error);
      }),
    );
  }
  return judged;
}

/**
 * Sequences that are neither readable nor acknowledged nor declared lost; `first` is where the segments begin, undefined if
 * everything before them counts as acknowledged. All sequences of a segment that is set aside are lost: any of them may have
 * been sent, and must not be used again.
 */
function undeclared(
  judged: readonly JudgedSegment[],
  first: number | undefined,
  { through, lost }: Acknowledged,
): LostRange[] {
  const missing: LostRange[] = first !== undefined && first > through + 1 ? [[through + 1, first - 1]] : [];
  const all = [...missing, ...judged.flatMap((segment) => segment.lost)];
  return all.filter((range) => range[1] > through && !areWithin([range], lost));
}
