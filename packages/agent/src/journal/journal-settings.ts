import type { Logger } from '@visitor-counter/service/logger';
import { createLogger } from '@visitor-counter/service/logger';

/** How a journal is written; times in ms. */
export interface JournalSettings {
  /** The device that writes the journal. */
  readonly serial: string | undefined;
  /** The present boot, to which moments on CLOCK_MONOTONIC belong. */
  readonly boot: string;
  /** The most bytes of the database: then the oldest acknowledged crossings are removed, or new ones held in memory. */
  readonly limit: number;
  /** How much older than the newest crossing acknowledged ones may be before they are removed. */
  readonly keepFor: number;
  /** Whether crossings that cannot be written are held in memory; otherwise `append` throws NotStored. */
  readonly holds: boolean;
  /** The pause before the disk is tried again; it doubles up to twelve times as long. */
  readonly retryEvery: number;
  /** Called before each use of the disk, and before a transaction is made durable. A test throws the error of a disk. */
  readonly beforeUse: (operation: 'read' | 'write' | 'sync') => void;
  readonly log: Logger;
}

export type JournalOptions = Partial<JournalSettings>;

export const defaultSettings: JournalSettings = {
  serial: undefined,
  boot: '00000000-0000-0000-0000-000000000000',
  limit: 256 * 1024 * 1024,
  keepFor: 0,
  holds: true,
  retryEvery: 5_000,
  beforeUse: () => {},
  log: createLogger('journal', { LOG_LEVEL: 'silent' }),
};
