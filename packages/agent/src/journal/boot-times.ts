import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { SettledBoot, UnsettledBoot } from '../clock/settle-boots.ts';
import { instantOf } from '../clock/time.ts';
import { type FileSystem, writeDurably } from './file-system.ts';
import type { JournalState } from './journal-state.ts';
import type { JudgedSegment } from './read-segment.ts';
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

/**
 * The boots of a journal's segments whose times are not known, in order, and the latest instant (epoch ms) that is
 * known of any crossing. `after` is an instant before the first of them.
 */
export function openBoots(
  segments: readonly Pick<JudgedSegment, 'unsettled' | 'settledAt'>[],
  known: ReadonlyMap<string, SettledBoot>,
  after: number,
): { readonly unsettled: readonly UnsettledBoot[]; readonly settledAt: number } {
  const open = new Map<string, UnsettledBoot>();
  let settledAt = after;
  for (const { unsettled: found, settledAt: latest } of segments) {
    const begun = found && known.get(found.boot);
    if (begun) settledAt = Math.max(settledAt, begun.offset + found.last - begun.uncertainty);
    else if (found) {
      const before = open.get(found.boot) ?? { ...found, after: Math.max(settledAt, found.after) };
      open.set(found.boot, { ...before, last: found.last });
    }
    settledAt = Math.max(settledAt, latest);
  }
  return { unsettled: [...open.values()], settledAt };
}

/** Updates the boots with unknown times, and the latest known instant, with crossings that are durable now. */
export function noteInstants(state: JournalState, crossings: readonly NewCrossing[]): void {
  const { boot } = state.settings;
  for (const { at, moment = noMoment, settled } of crossings) {
    if (settled !== false) state.settledAt = at;
    else if (!state.clocks.has(boot)) {
      const others = state.unsettled.filter((other) => other.boot !== boot);
      const there = state.unsettled.find((other) => other.boot === boot);
      const begun = there ?? { boot, claimed: at - moment, after: state.settledAt };
      state.unsettled = [...others, { ...begun, last: moment }];
    }
  }
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
