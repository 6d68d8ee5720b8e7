import { Listeners } from '../async/concurrency.ts';
import type { BootTime } from '../clock/unit-clock.ts';
import type { DatedBoot, KnownInstants } from './boot-times.ts';
import { type FileSystem, nodeFileSystem } from './file-system.ts';
import type { NotStored } from './journal-errors.ts';
import type { LostRange } from './lost-ranges.ts';
import { defaultRetries, type RetrySettings } from './retries.ts';
import type { Segment } from './segment-format.ts';

interface JournalSettings extends RetrySettings {
  readonly files: FileSystem;
  /** When a segment is full. 4,096 records are 128 KiB. */
  readonly recordsPerSegment: number;
  /** The most bytes of all segments; at this limit new crossings are held in memory until old ones are acknowledged. */
  readonly limit: number;
  /** The pause before a failed write is retried (ms); it doubles up to twelve times as long. */
  readonly retryEvery: number;
  /** How many segments are reserved on the disk, for times when other programs fill it. */
  readonly reserve: number;
  /**
   * Whether crossings that cannot be written are delivered from memory; otherwise they stay in memory until the disk
   * can be written.
   */
  readonly deliverHeld: boolean;
  /** When the present boot began; undefined while that is not known. */
  readonly bootTime: () => BootTime | undefined;
  /** For how long acknowledged crossings are kept for resends: ms in which a journal is open. */
  readonly keepFor: number;
  /** The most bytes of completely acknowledged segments. */
  readonly keepWithin: number;
  /** The device that writes the journal. */
  readonly serial: string | undefined;
  /** The present boot, to which moments on CLOCK_MONOTONIC belong. */
  readonly boot: string;
  /** The acknowledged position could not be stored, or a segment not be removed; retried later. */
  readonly onProblem: (error: unknown) => void;
  /** These acknowledged crossings were deleted before their time: the disk is full, or the journal has reached its limit. */
  readonly onRoomMade: (deleted: Segment) => void;
  /** These sequences cannot be read; reading is retried until they are declared lost. */
  readonly onUnreadable: (range: LostRange) => void;
}

export type JournalOptions = Partial<JournalSettings>;

/** Space for years of crossings; acknowledged ones are freed. */
export const defaultSettings: JournalSettings = {
  files: nodeFileSystem,
  recordsPerSegment: 4_096,
  limit: 256 * 1024 * 1024,
  retryEvery: 5_000,
  reserve: 0,
  deliverHeld: true,
  bootTime: () => undefined,
  keepFor: 0,
  keepWithin: Number.POSITIVE_INFINITY,
  ...defaultRetries,
  serial: undefined,
  boot: '00000000-0000-0000-0000-000000000000',
  onProblem: () => {},
  onRoomMade: () => {},
  onUnreadable: () => {},
};

/** The content of a journal's folder. Only the writer adds, only the cleaner removes. */
export interface JournalContent extends KnownInstants {
  /** The journal's id, which changes when a new one is begun. */
  journal: string;
  /** In order; records are appended to the last one. Empty if there is no segment yet. */
  segments: readonly Segment[];
  /** The last durable sequence, or the last one that was used and must not be used again; 0 when there is none. */
  recorded: number;
  /** Instant (epoch ms) of the last durable crossing that can be read; 0 when there was none. */
  recordedAt: number;
  /** When boots began, for boots whose crossings were journaled before that was known. */
  clocks: ReadonlyMap<string, DatedBoot>;
}

/** The folder of a journal, locked against other processes. */
export interface JournalFolder {
  /** Why it cannot be written; undefined if it can. */
  readonly problem: NotStored | undefined;
  /** Creates the folder if it is missing. Rejects with the system's error, and with JournalFailed if it contains a journal. */
  prepare(): Promise<void>;
  release(): Promise<void>;
}

/** The state that the parts of an open journal share. */
export interface JournalState extends JournalContent {
  readonly directory: string;
  readonly settings: JournalSettings;
  readonly folder: JournalFolder;
  readonly changes: JournalChanges;
  /** The records of the last segment if another process of this boot has written it, until they are certainly durable. */
  unsyncedEnd: Buffer | undefined;
}

/** The listeners to each kind of change. */
export class JournalChanges {
  /** There may be more to read. */
  readonly durable = new Listeners();
  /** The storage problem has changed, or how many crossings are only in memory. */
  readonly storage = new Listeners();
  readonly acknowledged = new Listeners();
  /** More is declared lost. */
  readonly lost = new Listeners();
  /** A new journal has begun; nothing has been written to it yet, nor read from it. */
  readonly begun = new Listeners();
}
