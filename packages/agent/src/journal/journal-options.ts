import type { BootTime } from '../clock/unit-clock.ts';
import type { FileSystem } from './file-system.ts';
import type { LostRange } from './lost-ranges.ts';
import { nodeFileSystem } from './node-file-system.ts';
import { defaultRetries, type RetrySettings } from './retries.ts';

export interface JournalOptions extends Partial<RetrySettings> {
  readonly files?: FileSystem;
  /** When a segment is full. 4,096 records are 128 KiB. */
  readonly recordsPerSegment?: number;
  /** The most bytes that segments may take; then the oldest crossings are kept, and new ones wait in memory. */
  readonly limit?: number;
  /** How long until a disk that takes nothing is tried again (ms); the pause doubles up to twelve times as long. */
  readonly retryEvery?: number;
  /** How many segments are reserved on the disk, for the time in which others fill it. */
  readonly reserve?: number;
  /** Whether crossings that the disk does not take are delivered from memory; else they wait for the disk. */
  readonly deliverHeld?: boolean;
  /** When the present boot began; undefined while that is not known. */
  readonly bootTime?: () => BootTime | undefined;
  /** How long a crossing is kept after its acknowledgement, to be sent again: ms in which a journal was open. */
  readonly keepFor?: number;
  /** The most bytes of segments of which everything is acknowledged. */
  readonly keepWithin?: number;
  /** The device that writes the journal. */
  readonly serial?: string | undefined;
  /** The present boot, to which moments on CLOCK_MONOTONIC belong. */
  readonly boot?: string;
  /** The acknowledged position could not be stored; it is tried again with the next one. */
  readonly onProblem?: (error: unknown) => void;
  /** These sequences cannot be read; they are tried again until they are declared lost. */
  readonly onUnreadable?: (range: LostRange) => void;
}

/** Years of crossings, and none kept once acknowledged. */
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
