import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { StorageProblem } from '@visitor-counter/wire/heartbeat-message';
import { Listeners } from '../async/listeners.ts';
import type { SettledBoot, UnsettledBoot } from '../clock/settle-boots.ts';
import { beginWhenAcknowledged } from './begin-journal.ts';
import { settle } from './boot-instants.ts';
import { declareHeld, HeldNote } from './held-note.ts';
import { JournalCleaner } from './journal-cleaner.ts';
import { type JournalFolder, openFolder } from './journal-folder.ts';
import { defaultOptions, type JournalOptions } from './journal-options.ts';
import { JournalPosition } from './journal-position.ts';
import { JournalReader } from './journal-reader.ts';
import { JournalReserve, roomCheck } from './journal-reserve.ts';
import type { JournalState } from './journal-state.ts';
import { JournalWriter } from './journal-writer.ts';
import type { LostRange } from './lost-ranges.ts';
import { readOnlyFiles } from './read-only-files.ts';
import type { NewCrossing } from './record-codec.ts';
import { type Recovered, recoverJournal } from './recover-journal.ts';
import { Retries } from './retries.ts';
import { SegmentAppender } from './segment-appender.ts';
import { newJournalId } from './segment-header.ts';
import { VolatileJournal } from './volatile-journal.ts';

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
  /** Why the disk takes nothing, or is short of room; undefined while it is well. */
  readonly storageProblem: StorageProblem | undefined;
  /** The same in words. */
  readonly storageProblemText: string | undefined;
  /** Whether new crossings are held in memory because the disk does not take them. */
  readonly isHolding: boolean;
  /** How many crossings are in memory to be written. */
  readonly waiting: number;
  /** How many crossings only memory has, and the server has not acknowledged: a power cut loses them. */
  readonly held: number;
  /** Delivers what is held in memory. */
  readonly volatile: VolatileJournal;
  /**
   * Resolves when the crossings are durable, or sent from memory while the disk does not take them. Rejects with
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
  read(from: number, max: number): Promise<NumberedCrossing[]>;
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
  /** Calls `listener` when the storage problem changes, or more is held in memory; returns what ends that. */
  onStorage(listener: () => void): () => void;
  close(): Promise<void>;
}

/**
 * Opens the journal in a folder, creating it if there is none and repairing what a cut left behind.
 * Throws JournalInUse while another process has it open, and JournalUnreadable if the disk cannot read its id.
 */
export async function openJournal(directory: string, options: JournalOptions = {}): Promise<Journal> {
  const { files, ...settings } = { ...defaultOptions, ...options };
  const folder = await openFolder(files, directory);
  try {
    const found = await recoverJournal(
      folder.problem ? readOnlyFiles(files) : files,
      directory,
      newJournalId,
      new Retries(settings),
    );
    const position = new JournalPosition(files, directory, found.acknowledged, settings);
    // This also reserves the position's place on the disk: a full disk can then still be freed.
    if (!found.positionStored || found.lost.length > 0)
      await position.declareLost(found.lost).catch(settings.onProblem);
    const continued = await declareHeld(found, position, settings.onProblem);
    const reserve = new JournalReserve(files, directory, settings);
    if (!folder.problem) await reserve.find();
    return opened(directory, continued, position, { ...settings, files, folder, reserve });
  } catch (error) {
    await folder.release();
    throw error;
  }
}

type OpenParts = Required<Omit<JournalOptions, 'reserve'>> & {
  readonly folder: JournalFolder;
  readonly reserve: JournalReserve;
};

function opened(directory: string, found: Recovered, position: JournalPosition, parts: OpenParts): Journal {
  const { files, folder } = parts;
  const { setAside, ...recovered } = found;
  const state: JournalState = { ...recovered, directory, boot: parts.boot };
  const durable = new Listeners();
  const storage = new Listeners();
  const begun = new Listeners();
  const closing = new AbortController();
  const cleaner = new JournalCleaner(files, state, position, parts);
  const reader = new JournalReader(files, state, position, parts);
  const makeRoom = () => cleaner.makeRoom();
  const appender = new SegmentAppender({ ...parts, state, makeRoom }, folder.problem !== undefined);
  const writer = new JournalWriter(appender, parts, {
    onDurable: () => {
      durable.call();
      note.update();
    },
    onStorage: () => {
      storage.call();
      held.notifyPending();
      note.update();
    },
    prepare: () => folder.prepare(),
    checkRoom: roomCheck({ ...parts, directory }),
  });
  const held = new VolatileJournal({
    bootTime: parts.bootTime,
    take: async (most) =>
      parts.deliverHeld
        ? writer.take(most, ({ settled }) => settled !== false || parts.bootTime() !== undefined)
        : [],
    onAcknowledged: () => note.update(),
  });
  const undelivered = () => held.recorded - held.acknowledged;
  const note = new HeldNote({
    position,
    recorded: () => state.recorded,
    held: () => (parts.deliverHeld ? (writer.isHolding ? writer.waiting : 0) + undelivered() : 0),
    onProblem: parts.onProblem,
  });
  if (folder.problem) writer.report(folder.problem);
  else writer.checkSoon();
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
    get storageProblem() {
      return writer.problem;
    },
    get storageProblemText() {
      return writer.problemText;
    },
    get isHolding() {
      return writer.isHolding;
    },
    get held() {
      return writer.waiting + undelivered();
    },
    volatile: held,
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
    onStorage: (listener) => storage.add(listener),
    close: async () => {
      closing.abort();
      await note.close();
      await reader.close();
      await writer.close();
      await cleaner.close();
      await folder.release();
    },
  };
}
