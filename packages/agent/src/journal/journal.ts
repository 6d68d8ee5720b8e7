import type { SettledBoot, UnsettledBoot } from '../clock/settle-boots.ts';
import { Listeners } from '../listeners.ts';
import { newJournalId } from './begin-journal.ts';
import { beginWhenAcknowledged } from './begin-when-acknowledged.ts';
import type { FileSystem } from './file-system.ts';
import { JournalCleaner } from './journal-cleaner.ts';
import { JournalPosition } from './journal-position.ts';
import { JournalReader } from './journal-reader.ts';
import type { JournalState } from './journal-state.ts';
import { JournalWriter } from './journal-writer.ts';
import type { LostRange } from './lost-ranges.ts';
import type { NoRoomReason } from './no-room.ts';
import { nodeFileSystem } from './node-file-system.ts';
import type { JournaledCrossing, NewCrossing } from './record-codec.ts';
import { type Recovered, recoverJournal } from './recover-journal.ts';
import { defaultRetries, Retries } from './retries.ts';
import { settle } from './settle.ts';

export interface JournalOptions {
  readonly files?: FileSystem;
  /** When a segment is full. 4,096 records are 128 KiB. */
  readonly recordsPerSegment?: number;
  /** The most bytes that segments may take; then the oldest crossings are kept, and new ones wait in memory. */
  readonly limit?: number;
  /** How long until a disk without room is tried again (ms). */
  readonly retryEvery?: number;
  /** How long a crossing is kept for resends after its acknowledgement, in running time of the agent (ms). */
  readonly keepFor?: number;
  /** The most bytes that completely acknowledged segments may take. */
  readonly keepWithin?: number;
  /** For how long reads are retried while the disk reports errors (ms), before sequences are declared lost. */
  readonly rereadFor?: number;
  /** For how long wrong content is read again while the journal is opened, before it counts as damaged (ms). */
  readonly recheckFor?: number;
  /** A clock that only moves forward (ms). */
  readonly monotonic?: () => number;
  /** The present boot, to which moments on CLOCK_MONOTONIC belong. */
  readonly boot?: string;
  /** The acknowledged position could not be stored; the next change stores it again. */
  readonly onProblem?: (error: unknown) => void;
  /** These sequences cannot be read now; reading is retried until they are declared lost. */
  readonly onUnreadable?: (range: LostRange) => void;
}

/** What holds where nothing else is asked for: years of crossings, and none kept once acknowledged. */
const defaults: Required<JournalOptions> = {
  files: nodeFileSystem,
  recordsPerSegment: 4_096,
  limit: 256 * 1024 * 1024,
  retryEvery: 5_000,
  keepFor: 0,
  keepWithin: Number.POSITIVE_INFINITY,
  ...defaultRetries,
  monotonic: () => performance.now(),
  boot: '00000000-0000-0000-0000-000000000000',
  onProblem: () => {},
  onUnreadable: () => {},
};

/** The unit's durable log of crossings, numbered 1, 2, 3, … without holes. */
export interface Journal {
  /** Random; 32 hexadecimal digits. Another one after `beginNew`. */
  readonly id: string;
  /** Last durable sequence, and its crossing's instant (epoch ms); 0 when there was none. */
  readonly recorded: number;
  readonly recordedAt: number;
  /** Last sequence that the server has acknowledged, and its crossing's instant; 0 when there was none. */
  readonly acknowledged: number;
  readonly acknowledgedAt: number;
  /** Sequences that are permanently declared lost because the disk could not read them. */
  readonly lost: readonly LostRange[];
  /** The range of `lost` that contains a sequence. */
  lostAt(sequence: number): LostRange | undefined;
  /** Calls `listener` when more is declared lost; returns the function that removes it. */
  onLost(listener: () => void): () => void;
  /** Files that could not be read at all; they stay in the folder under the name `*.damaged`. */
  readonly setAside: readonly string[];
  /** Why new crossings wait in memory; undefined while there is room. */
  readonly noRoom: NoRoomReason | undefined;
  /** How many crossings are not durable yet. */
  readonly waiting: number;
  /**
   * Resolves when the crossings are durable, which they are not before there is room for them. Rejects with
   * JournalFailed, and from then on always.
   */
  append(crossings: readonly NewCrossing[]): Promise<void>;
  /** Boots with crossings whose instants are not known yet, in order. */
  readonly unsettled: readonly UnsettledBoot[];
  /** Says, durably and once for ever, when these boots began; then their crossings can be read. */
  settle(boots: readonly SettledBoot[]): Promise<void>;
  /**
   * Durable crossings with consecutive sequences, at most `max`, the first of them the first one from `from` on that is
   * neither declared lost nor freed. A crossing whose instant is not settled delays all later ones, and so does an
   * unreadable one until it is declared lost. Rejects if that cannot be stored.
   */
  read(from: number, max: number): Promise<JournaledCrossing[]>;
  /** The server has stored everything through this sequence, whose crossing is at `at` (epoch ms). */
  acknowledge(through: number, at: number): void;
  /**
   * Ends the journal with the id `ended` as soon as everything recorded is acknowledged, and begins another one, whose
   * sequences start at 1; does nothing if this journal has another id. Crossings that are appended during the change
   * belong to the new journal. After a crash at any moment one of the two journals is there, complete. Rejects when
   * `signal` aborts, or when the new journal cannot be written; then the old one continues.
   */
  beginNew(ended: string, signal: AbortSignal): Promise<void>;
  /** Calls `listener` when a new journal has begun; returns the function that removes it. */
  onBegun(listener: () => void): () => void;
  /** Calls `listener` after every commit; returns the function that removes it. */
  onDurable(listener: () => void): () => void;
  /** Calls `listener` when there is no room any more, and when there is again; returns the function that removes it. */
  onRoom(listener: () => void): () => void;
  close(): Promise<void>;
}

/**
 * Opens the journal in a folder, creating it if there is none and repairing what a cut left behind.
 * Throws JournalInUse while another process has it open, and JournalUnreadable if the disk cannot read its id.
 */
export async function openJournal(directory: string, options: JournalOptions = {}): Promise<Journal> {
  const { files, ...settings } = { ...defaults, ...options };
  await files.makeDirectory(directory);
  const unlock = await files.lock(directory);
  try {
    const found = await recoverJournal(files, directory, newJournalId, new Retries(settings));
    const position = new JournalPosition(files, directory, found.acknowledged, settings);
    // This also reserves the position's place on the disk: a full disk can then still be freed.
    if (!found.positionStored || found.lost.length > 0)
      await position.declareLost(found.lost).catch(settings.onProblem);
    return opened(directory, found, position, { ...settings, files, unlock });
  } catch (error) {
    await unlock();
    throw error;
  }
}

type OpenParts = Required<JournalOptions> & { readonly unlock: () => Promise<void> };

function opened(directory: string, found: Recovered, position: JournalPosition, parts: OpenParts): Journal {
  const { files, unlock } = parts;
  const { setAside, ...recovered } = found;
  const state: JournalState = { ...recovered, directory, boot: parts.boot };
  const durable = new Listeners();
  const room = new Listeners();
  const begun = new Listeners();
  const closing = new AbortController();
  let noRoom: NoRoomReason | undefined;
  const cleaner = new JournalCleaner(files, state, position, parts);
  const reader = new JournalReader(files, state, position, parts);
  const writer = new JournalWriter(files, state, parts, {
    onDurable: () => durable.call(),
    onRoom: (missing) => {
      noRoom = missing?.reason;
      room.call();
    },
    makeRoom: () => cleaner.makeRoom(),
  });
  return {
    get id() {
      return state.journal;
    },
    get lost() {
      return position.lost;
    },
    lostAt: (sequence) => position.lostAt(sequence),
    onLost: (listener) => position.onLost(listener),
    setAside,
    get recorded() {
      return state.recorded;
    },
    get recordedAt() {
      return state.recordedAt;
    },
    get acknowledged() {
      return position.through;
    },
    get acknowledgedAt() {
      return position.at;
    },
    get noRoom() {
      return noRoom;
    },
    get waiting() {
      return writer.waiting;
    },
    append: (crossings) => writer.append(crossings),
    get unsettled() {
      return state.unsettled;
    },
    settle: async (boots) => {
      await settle(files, state, boots);
      durable.call();
    },
    read: (from, max) => reader.read(from, max),
    acknowledge: (through, at) => position.acknowledge(through, at),
    beginNew: (ended, signal) => {
      const aborted = AbortSignal.any([signal, closing.signal]);
      const onBegun = () => begun.call();
      return beginWhenAcknowledged({ files, state, writer, reader, position, onBegun }, ended, aborted);
    },
    onBegun: (listener) => begun.add(listener),
    onDurable: (listener) => durable.add(listener),
    onRoom: (listener) => room.add(listener),
    close: async () => {
      closing.abort();
      await reader.close();
      await writer.close();
      await cleaner.close();
      await unlock();
    },
  };
}
