import type { Logger } from '@visitor-counter/service/logger';
import { createLogger } from '@visitor-counter/service/logger';

/** How a journal is written; times in ms. */
export interface JournalSettings {
  /** The device that writes the journal. */
  readonly serial: string | undefined;
  /** The present boot, to which moments on CLOCK_MONOTONIC belong. */
  readonly boot: string;
  /** The most bytes of the database; at this limit new crossings are held in memory until old ones are acknowledged. */
  readonly limit: number;
  /** For how long acknowledged crossings are kept for resends: time in which a journal is open. */
  readonly keepFor: number;
  /** The most bytes of the database while it has acknowledged crossings. */
  readonly keepWithin: number;
  /** Whether crossings that cannot be written are held in memory; otherwise `append` throws NotStored. */
  readonly holds: boolean;
  /** The pause before the disk is tried again; it doubles up to twelve times as long. */
  readonly retryEvery: number;
  /** For how long a database that the disk cannot read is read again before it is set aside. */
  readonly rereadFor: number;
  /** Called before each use of the disk. A test throws the error of a disk. */
  readonly beforeUse: (operation: 'read' | 'write') => void;
  readonly log: Logger;
}

export type JournalOptions = Partial<JournalSettings>;

export const defaultSettings: JournalSettings = {
  serial: undefined,
  boot: '00000000-0000-0000-0000-000000000000',
  limit: 256 * 1024 * 1024,
  keepFor: 0,
  keepWithin: Number.POSITIVE_INFINITY,
  holds: true,
  retryEvery: 5_000,
  rereadFor: 20_000,
  beforeUse: () => {},
  log: createLogger('journal', { LOG_LEVEL: 'silent' }),
};
