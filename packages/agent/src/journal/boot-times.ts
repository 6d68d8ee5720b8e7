import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { SettledBoot, UnsettledBoot } from '../clock/settle-boots.ts';
import { instantOf } from '../clock/time.ts';
import { type FileSystem, writeDurably } from './file-system.ts';
import type { JournalState } from './journal-state.ts';
import { type Retries, readJson, type SmallFile } from './retries.ts';
import { type JournalRecord, type NewCrossing, noMoment } from './segment-format.ts';

const Clocks = Type.Object({
  checksum: Type.Integer(),
  boots: Type.Array(
    Type.Object({ boot: Type.String(), offset: Type.Number(), uncertainty: Type.Integer({ minimum: 0 }) }),
  ),
});

const clocks = Compile(Clocks);

/** Two copies, since the instants of these crossings are not stored anywhere else. */
const fileNames = ['clocks.json', 'clocks.copy.json'];

/**
 * Reads when boots began, for boots whose crossings were journaled before that was known. Returns the error
 * if neither file is valid and the disk cannot read one of them.
 */
export async function readBootTimes(
  files: FileSystem,
  directory: string,
  retries: Retries,
): Promise<SmallFile<readonly SettledBoot[]>> {
  let unreadable: unknown;
  for (const name of fileNames) {
    const file = await readJson(files, join(directory, name), areClocks, retries);
    if (file.value) return { value: file.value.boots };
    unreadable ??= file.unreadable;
  }
  return { unreadable };
}

function areClocks(value: unknown): value is Static<typeof Clocks> {
  return clocks.Check(value) && value.checksum === checksumOf(value.boots);
}

function checksumOf(boots: readonly SettledBoot[]): number {
  return crc32(boots.map(({ boot, offset, uncertainty }) => `${boot} ${offset} ${uncertainty}\n`).join(''));
}

/** What is known of the instants of crossings up to some sequence. */
export interface KnownInstants {
  /** The latest instant (epoch ms) that is known of any of them; 0 if there is none. */
  settledAt: number;
  /** Boots whose times are not known, in order. `after` is an instant before the first crossing of the boot. */
  unsettled: readonly UnsettledBoot[];
}

/** What consecutive crossings add to that, where those without a known instant are of one boot. */
export function instantsIn(crossings: readonly NewCrossing[], boot: string): KnownInstants {
  const unsettled = crossings.filter(({ settled }) => settled === false);
  const [first, last] = [unsettled[0], unsettled.at(-1)];
  const settledAt = crossings.findLast(({ settled }) => settled !== false)?.at ?? 0;
  if (!first || !last) return { settledAt, unsettled: [] };
  const { at, moment = noMoment } = first;
  const after = crossings[crossings.indexOf(first) - 1]?.at ?? 0;
  return { settledAt, unsettled: [{ boot, claimed: at - moment, last: last.moment ?? noMoment, after }] };
}

/** What is known of earlier crossings and of those that follow them. */
export function joinedInstants(
  before: KnownInstants,
  next: KnownInstants,
  known: ReadonlyMap<string, SettledBoot>,
): KnownInstants {
  let { settledAt, unsettled } = before;
  for (const found of next.unsettled) {
    const begun = known.get(found.boot);
    if (begun) settledAt = Math.max(settledAt, begun.offset + found.last - begun.uncertainty);
    else {
      const others = unsettled.filter(({ boot }) => boot !== found.boot);
      const there = unsettled.find(({ boot }) => boot === found.boot);
      const first = there ?? { ...found, after: Math.max(settledAt, found.after) };
      unsettled = [...others, { ...first, last: found.last }];
    }
  }
  return { settledAt: Math.max(settledAt, next.settledAt), unsettled };
}

/**
 * Stores when boots began, durably before any crossing with an instant that follows from it can be read. A stored time
 * never changes: the server refuses a crossing that is sent again with another instant.
 */
export async function storeBootTimes(state: JournalState, boots: readonly SettledBoot[]): Promise<void> {
  const fresh = boots.filter(({ boot }) => !state.clocks.has(boot));
  if (fresh.length === 0) return;
  const needed = new Set(state.segments.map(({ boot }) => boot));
  const known = [...state.clocks.values(), ...fresh].filter(({ boot }) => needed.has(boot));
  const content = Buffer.from(JSON.stringify({ checksum: checksumOf(known), boots: known }));
  for (const name of fileNames)
    await writeDurably(state.settings.files, join(state.directory, name), content);
  state.clocks = new Map(known.map((settled) => [settled.boot, settled]));
  for (const { boot, last } of state.unsettled) {
    const begun = state.clocks.get(boot);
    if (begun) state.settledAt = Math.max(state.settledAt, begun.offset + last - begun.uncertainty);
  }
  state.unsettled = state.unsettled.filter(({ boot }) => !state.clocks.has(boot));
}

/** The crossing with its instant; undefined while that is not known. */
export function settledCrossing(
  { sequence, direction, moment, ...record }: JournalRecord,
  boot: string,
  { clocks: known }: JournalState,
): NumberedCrossing | undefined {
  if (record.settled) return { sequence, at: record.at, direction, uncertainty: record.uncertainty };
  const begun = known.get(boot);
  if (!begun) return undefined;
  return { sequence, at: instantOf(moment, begun.offset), direction, uncertainty: begun.uncertainty };
}
