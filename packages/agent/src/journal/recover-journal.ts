import { join } from 'node:path';
import type { SettledBoot, UnsettledBoot } from '../clock/settle-boots.ts';
import { type Acknowledged, readAcknowledged } from './acknowledged-file.ts';
import { readClocks } from './clocks-file.ts';
import type { FileSystem } from './file-system.ts';
import { openBoots } from './open-boots.ts';
import { checksumSeed } from './record-codec.ts';
import {
  type FoundFile,
  findSegment,
  type JudgedSegment,
  type LostRange,
  scanSegment,
} from './scan-segment.ts';
import { positionOf, type Segment } from './segment.ts';
import { firstOfSegment } from './segment-name.ts';

/** What a journal's folder holds after repair. */
export interface Recovered {
  readonly journal: string;
  /** In order; the last one is written on. Empty when a first segment is to be created. */
  readonly segments: readonly Segment[];
  /** Last sequence in use; 0 when there is none. */
  readonly recorded: number;
  /** Instant (epoch ms) of the last crossing that can be known; 0 when there was none. */
  readonly recordedAt: number;
  readonly acknowledged: Acknowledged;
  /** Whether that was found; else it is what can be known without. */
  readonly positionStored: boolean;
  readonly clocks: ReadonlyMap<string, SettledBoot>;
  readonly unsettled: readonly UnsettledBoot[];
  /** The latest instant (epoch ms) known to lie before what is journaled next; 0 when there is none. */
  readonly settledAt: number;
  /** Sequences that were never acknowledged and cannot be read any more. */
  readonly lost: readonly LostRange[];
  /** Names of files that could not be read at all and were set aside. */
  readonly setAside: readonly string[];
}

/**
 * Reads and repairs the files of a journal. A torn tail, which only holds what was never reported as stored,
 * is cut off durably before anything is appended; damage before it is kept and told. Where the disk cannot read a sector
 * of the last segment, what is behind it may have been reported: nothing is cut off, and the next one is begun.
 *
 * The sequence never goes back behind an acknowledged one: the server would take the next crossing with that
 * number for a redelivery.
 */
export async function recoverJournal(
  files: FileSystem,
  directory: string,
  newId: () => string,
): Promise<Recovered> {
  const stored = await readAcknowledged(files, directory);
  const found = await findSegments(files, directory);
  const journal = found.findLast(({ header }) => header)?.header?.journal ?? stored?.journal ?? newId();
  const acknowledged = stored?.journal === journal ? stored : { journal, through: 0, at: 0 };
  const clocks = new Map((await readClocks(files, directory)).map((known) => [known.boot, known]));
  const judged = await judgeSegments(files, found, checksumSeed(journal));
  const kept = judged.filter(({ readable }) => readable);
  const setAside = judged.filter(({ readable }) => !readable).map(({ segment }) => segment.name);
  for (const name of setAside) await files.rename(join(directory, name), join(directory, `${name}.damaged`));
  const last = kept.at(-1);
  if (last && !last.segment.sealed) await cutTail(files, directory, last.segment, last.size);
  const recorded = last ? last.segment.first + last.segment.count - 1 : 0;
  const first = kept[0]?.segment.first ?? 1;
  const missing =
    stored && first > acknowledged.through + 1 ? [range(acknowledged.through + 1, first - 1)] : [];
  return {
    journal,
    segments: recorded < acknowledged.through ? [] : kept.map(({ segment }) => segment),
    recorded: Math.max(recorded, acknowledged.through),
    recordedAt: Math.max(acknowledged.at, ...kept.map(({ segment }) => segment.lastAt)),
    acknowledged: { ...acknowledged, through: Math.max(acknowledged.through, stored ? 0 : first - 1) },
    positionStored: stored !== undefined,
    clocks,
    ...openBoots(kept, clocks, acknowledged.at),
    lost: [...missing, ...kept.flatMap(({ lost }) => lost)].filter(
      ([, through]) => through > acknowledged.through,
    ),
    setAside,
  };
}

async function findSegments(files: FileSystem, directory: string): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  for (const name of (await files.list(directory)).sort()) {
    const first = firstOfSegment(name);
    if (name.endsWith('.new')) await files.remove(join(directory, name));
    else if (first !== undefined) found.push(await findSegment(files, join(directory, name), name, first));
  }
  return found;
}

async function judgeSegments(
  files: FileSystem,
  found: readonly FoundFile[],
  seed: number,
): Promise<JudgedSegment[]> {
  const judged: JudgedSegment[] = [];
  for (const [index, file] of found.entries()) {
    judged.push(await scanSegment(files, file, found[index + 1]?.first, seed));
  }
  return judged;
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

function range(first: number, last: number): LostRange {
  return [first, last];
}
