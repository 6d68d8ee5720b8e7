import { join } from 'node:path';
import type { SettledBoot, UnsettledBoot } from '../clock/settle-boots.ts';
import { type Acknowledged, positionAt, readAcknowledged } from './acknowledged-file.ts';
import { openBoots } from './boot-instants.ts';
import { readClocks } from './clocks-file.ts';
import type { FileSystem } from './file-system.ts';
import { findJournal } from './find-journal.ts';
import { asUnreadable, JournalUnreadable } from './journal-errors.ts';
import { areWithin, type LostRange, mergedRanges } from './lost-ranges.ts';
import { checksumSeed } from './record-codec.ts';
import type { Retries } from './retries.ts';
import { type FoundFile, type JudgedSegment, scanSegment } from './scan-segment.ts';
import { endOf, positionOf, type Segment } from './segment.ts';

/** The content of a journal's folder after repair. */
export interface Recovered {
  readonly journal: string;
  /** In order; records are appended to the last one. Empty if there is no segment yet. */
  readonly segments: readonly Segment[];
  /** Last sequence in use; 0 when there is none. */
  readonly recorded: number;
  /** Instant (epoch ms) of the last crossing that can be known; 0 when there was none. */
  readonly recordedAt: number;
  readonly acknowledged: Acknowledged;
  /** Whether the position was found; else `acknowledged` is derived from the segments. */
  readonly positionStored: boolean;
  readonly clocks: ReadonlyMap<string, SettledBoot>;
  readonly unsettled: readonly UnsettledBoot[];
  /** The latest instant (epoch ms) that is known to be before the next journaled crossing; 0 if there is none. */
  readonly settledAt: number;
  /** Sequences that were never acknowledged, cannot be read any more, and are not declared lost yet. */
  readonly lost: readonly LostRange[];
  /** Names of files that were readable, contained nothing of a journal, and were renamed to `*.damaged`. */
  readonly setAside: readonly string[];
}

/**
 * Reads and repairs the files of a journal. A torn tail, of crossings that were never reported as stored, is
 * cut off durably before anything is appended; damage before it stays and is reported. If the disk cannot read a sector
 * of the last segment, records after it may have been reported as stored: nothing is cut off, and a new segment is begun.
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
  newId: () => string,
  retries: Retries,
): Promise<Recovered> {
  const stored = await readAcknowledged(files, directory, retries);
  const { journal = stored?.journal ?? newId(), found } = await findJournal(
    files,
    directory,
    stored,
    retries,
  );
  const acknowledged =
    stored?.journal === journal ? stored : { ...positionAt(journal, 0, 0), ran: stored?.ran ?? 0 };
  const judged = await judgeSegments({ files, directory, retries }, found, acknowledged);
  const clocks = await knownClocks({ files, directory, retries }, judged);
  const kept = judged.filter(({ readable }) => readable);
  const setAside = judged.filter(({ readable }) => !readable).map(({ segment }) => segment.name);
  for (const name of setAside) await files.rename(join(directory, name), join(directory, `${name}.damaged`));
  const last = kept.at(-1);
  const isEndUsable = last !== undefined && last === judged.at(-1);
  if (isEndUsable && !last.segment.sealed) await cutTail(files, directory, last.segment, last.size);
  /* Without a usable segment and without its id, the file names are not those of the journal that continues. */
  const isSame = last !== undefined || stored !== undefined;
  const first = isSame ? (found[0]?.first ?? 1) : 1;
  const end = isSame ? endOf(judged.at(-1)?.segment ?? { first: 1, count: 0 }) : 0;
  // Sequences that are declared lost are not used again.
  const used = Math.max(end, ...acknowledged.lost.map(([, through]) => through));
  const segments = kept.map(({ segment }) => segment);
  return {
    journal,
    segments: used < acknowledged.through ? [] : continuedAfter(used, isEndUsable, segments),
    recorded: Math.max(used, acknowledged.through),
    recordedAt: Math.max(acknowledged.at, ...segments.map(({ lastAt }) => lastAt)),
    acknowledged: { ...acknowledged, through: Math.max(acknowledged.through, stored ? 0 : first - 1) },
    positionStored: stored !== undefined,
    clocks,
    ...openBoots(kept, clocks, acknowledged.at),
    lost: isSame ? undeclared(judged, stored && first, acknowledged) : [],
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

/**
 * Sequences that are neither readable nor acknowledged nor declared lost; `first` is where the segments begin. All
 * sequences of a segment that is set aside are lost: any of them may have been sent, and must not be used again.
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

interface Folder {
  readonly files: FileSystem;
  readonly directory: string;
  readonly retries: Retries;
}

async function judgeSegments(
  { files, directory, retries }: Folder,
  found: readonly FoundFile[],
  { journal, through, lost }: Acknowledged,
): Promise<JudgedSegment[]> {
  const done = mergedRanges([[0, through], ...lost]);
  const shared = {
    seed: checksumSeed(journal),
    retries,
    isDone: (range: LostRange) => areWithin([range], done),
  };
  const judged: JudgedSegment[] = [];
  for (const [index, file] of found.entries()) {
    const options = { ...shared, nextFirst: found[index + 1]?.first };
    judged.push(
      await scanSegment(files, file, options).catch((error: unknown) => {
        throw asUnreadable(directory, file.name, error);
      }),
    );
  }
  return judged;
}

/** When boots began. If the disk cannot read that, recovery continues only if no crossing needs it. */
async function knownClocks(
  { files, directory, retries }: Folder,
  judged: readonly JudgedSegment[],
): Promise<ReadonlyMap<string, SettledBoot>> {
  const clocks = await readClocks(files, directory, retries);
  if (!('unreadable' in clocks)) return new Map(clocks.map((known) => [known.boot, known]));
  if (judged.some(({ unsettled }) => unsettled))
    throw new JournalUnreadable(directory, 'both copies of clocks.json', clocks.unreadable);
  return new Map();
}

async function cutTail(files: FileSystem, directory: string, segment: Segment, size: number): Promise<void> {
  const end = positionOf(segment, segment.first + segment.count);
  if (size === end) return;
  const file = await files.open(join(directory, segment.name));
  try {
    await file.truncate(end);
    await file.sync();
  } finally {
    await file.close();
  }
  await files.syncDirectory(directory);
}
