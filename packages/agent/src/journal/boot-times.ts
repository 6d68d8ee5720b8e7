import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { instantOf } from '../clock/time.ts';
import type { BootTime } from '../clock/unit-clock.ts';
import { type FileSystem, writeDurably } from './file-system.ts';
import type { JournalState } from './journal-state.ts';
import { type Retries, readJson, type SmallFile } from './retries.ts';
import type { JournalRecord, UnwrittenCrossing } from './segment-format.ts';

/** A boot with journaled crossings whose instants are not known yet. */
export interface UndatedBoot {
  readonly boot: string;
  /** The boot's begin according to its own clock, which was never set. */
  readonly claimed: EpochMs;
  /** The moment of its last crossing. */
  readonly last: MonotonicMs;
  /** The latest instant that is known to be before it; 0 when there is none. */
  readonly after: EpochMs;
  /** When it began, by another of its crossings, whose instant is known; undefined if there is none. */
  readonly begun?: BootTime | undefined;
}

export interface DatedBoot extends BootTime {
  readonly boot: string;
}

const Clocks = Type.Object({
  checksum: Type.Integer(),
  boots: Type.Array(
    Type.Object({ boot: Type.String(), offset: Type.Number(), uncertainty: Type.Integer({ minimum: 0 }) }),
  ),
});

const clocks = Compile(Clocks);

/** Two copies, since the instants of these crossings are not stored anywhere else. */
const fileNames = ['clocks.json', 'clocks.copy.json'];

/** When boots began, for boots whose crossings were journaled before that was known. */
export interface FoundBootTimes {
  readonly boots: readonly DatedBoot[];
  /** Names of files that are damaged, or that the disk cannot read. */
  readonly damaged: readonly string[];
  /** The files differ: one is damaged, or a power cut came between writing the first and the second. */
  readonly areDifferent: boolean;
}

/**
 * Reads when boots began. If neither file is usable, there are none: the instants are determined again, and may differ from
 * those with which some crossings were sent. The server keeps the first one of each, and rejects the other as a conflict.
 */
export async function readBootTimes(
  files: FileSystem,
  directory: string,
  retries: Retries,
): Promise<FoundBootTimes> {
  const paths = fileNames.map((name) => join(directory, name));
  const found: SmallFile<Static<typeof Clocks>>[] = [];
  for (const path of paths) found.push(await readJson(files, path, areClocks, retries));
  const [first, second] = found.map(({ value }) => value);
  /* One file may be old. If the files differ about a boot, the first one is used. */
  const boots = [...(second?.boots ?? []), ...(first?.boots ?? [])];
  return {
    boots: [...new Map(boots.map((dated) => [dated.boot, dated])).values()],
    damaged: fileNames.filter((_, index) => found[index]?.isGood === false),
    areDifferent: first?.checksum !== second?.checksum,
  };
}

function areClocks(value: unknown): value is Static<typeof Clocks> {
  return clocks.Check(value) && value.checksum === checksumOf(value.boots);
}

function checksumOf(boots: readonly DatedBoot[]): number {
  return crc32(boots.map(({ boot, offset, uncertainty }) => `${boot} ${offset} ${uncertainty}\n`).join(''));
}

/** The known instants of crossings up to some sequence. */
export interface KnownInstants {
  /** The latest instant (epoch ms) that is known of any of them; 0 if there is none. */
  latestInstant: number;
  /** Boots whose times are not known, in order. `after` is an instant before the first crossing of the boot. */
  undated: readonly UndatedBoot[];
  /** The begin of the latest boot that has a crossing of which both instant and moment are known; undefined if there is none. */
  begun: DatedBoot | undefined;
}

/** The known instants of consecutive crossings; those without a known instant are of one boot, `boot`. */
export function instantsIn(crossings: readonly UnwrittenCrossing[], boot: string): KnownInstants {
  const undated = crossings.filter(({ isDated }) => !isDated);
  const [first, last] = [undated[0], undated.at(-1)];
  const latestInstant = crossings.findLast(({ isDated }) => isDated)?.at ?? 0;
  const dated = crossings.findLast(({ isDated, moment }) => isDated && moment > 0);
  const begun = dated && { boot, offset: dated.at - dated.moment, uncertainty: dated.uncertainty };
  if (!first || !last) return { latestInstant, undated: [], begun };
  const after = crossings[crossings.indexOf(first) - 1]?.at ?? 0;
  const claimed = first.at - first.moment;
  return { latestInstant, undated: [{ boot, claimed, last: last.moment, after }], begun };
}

/** Combines the known instants of earlier crossings and of the next ones; `known` are the boots whose times are stored. */
export function joinedInstants(
  before: KnownInstants,
  next: KnownInstants,
  known: ReadonlyMap<string, DatedBoot>,
): KnownInstants {
  let { latestInstant, undated } = before;
  const { begun = before.begun } = next;
  for (const found of next.undated) {
    const stored = known.get(found.boot);
    if (stored) latestInstant = Math.max(latestInstant, stored.offset + found.last - stored.uncertainty);
    else {
      const others = undated.filter(({ boot }) => boot !== found.boot);
      const earlier = undated.find(({ boot }) => boot === found.boot);
      const first = earlier ?? { ...found, after: Math.max(latestInstant, found.after) };
      undated = [...others, { ...first, last: found.last }];
    }
  }
  return {
    latestInstant: Math.max(latestInstant, next.latestInstant),
    undated: undated.map((one) => (one.boot === begun?.boot ? { ...one, begun } : one)),
    begun,
  };
}

/**
 * Stores when boots began, durably before any crossing with an instant that follows from it can be read. A stored time
 * never changes: the server refuses a crossing that is sent again with another instant.
 */
export async function storeBootTimes(state: JournalState, boots: readonly DatedBoot[]): Promise<void> {
  const fresh = boots.filter(({ boot }) => !state.clocks.has(boot));
  if (fresh.length === 0) return;
  const needed = new Set(state.segments.map(({ boot }) => boot));
  const known = [...state.clocks.values(), ...fresh].filter(({ boot }) => needed.has(boot));
  await writeBootTimes(state.settings.files, state.directory, known);
  state.clocks = new Map(known.map((dated) => [dated.boot, dated]));
  const isRead = (boot: string) => state.segments.some((segment) => segment.boot === boot);
  state.undated = state.undated.filter(({ boot }) => !state.clocks.has(boot) && isRead(boot));
}

/** Writes both files, durably. */
export async function writeBootTimes(
  files: FileSystem,
  directory: string,
  boots: readonly DatedBoot[],
): Promise<void> {
  const content = Buffer.from(JSON.stringify({ checksum: checksumOf(boots), boots }));
  for (const name of fileNames) await writeDurably(files, join(directory, name), content);
}

/** The crossing with its instant, by the time of its boot; undefined while that is needed and not known. */
export function datedCrossing(
  { sequence, at, direction, uncertainty, moment, isDated }: JournalRecord,
  begun: BootTime | undefined,
): NumberedCrossing | undefined {
  if (isDated) return { sequence, at, direction, uncertainty };
  return (
    begun && { sequence, at: instantOf(moment, begun.offset), direction, uncertainty: begun.uncertainty }
  );
}
