import type { BootTime } from '../clock/unit-clock.ts';
import type { FileSystem } from './file-system.ts';
import type { LostRange } from './lost-ranges.ts';
import { nodeFileSystem } from './node-file-system.ts';
import { defaultRetries, type RetrySettings } from './retries.ts';

export interface JournalOptions extends Partial<RetrySettings> {
  readonly files?: FileSystem;
  /** When a segment is full. 4,096 records are 128 KiB. */
  readonly recordsPerSegment?: number;
  /** The most bytes of all segments; at this limit new crossings are held in memory until old ones are acknowledged. */
  readonly limit?: number;
  /** The pause before a failed write is retried (ms); it doubles up to twelve times as long. */
  readonly retryEvery?: number;
  /** How many segments are reserved on the disk, for times when other programs fill it. */
  readonly reserve?: number;
  /**
   * Whether crossings that cannot be written are delivered from memory; otherwise they stay in memory until the disk
   * can be written.
   */
  readonly deliverHeld?: boolean;
  /** When the present boot began; undefined while that is not known. */
  readonly bootTime?: () => BootTime | undefined;
  /** For how long acknowledged crossings are kept for resends: ms in which a journal is open. */
  readonly keepFor?: number;
  /** The most bytes of completely acknowledged segments. */
  readonly keepWithin?: number;
  /** The device that writes the journal. */
  readonly serial?: string | undefined;
  /** The present boot, to which moments on CLOCK_MONOTONIC belong. */
  readonly boot?: string;
  /** The acknowledged position could not be stored; the next change stores it again. */
  readonly onProblem?: (error: unknown) => void;
  /** These sequences cannot be read; reading is retried until they are declared lost. */
  readonly onUnreadable?: (range: LostRange) => void;
}

/** Space for years of crossings; acknowledged ones are freed. */
export const defaultOptions: Required<JournalOptions> = {
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
  onUnreadable: () => {},
};
