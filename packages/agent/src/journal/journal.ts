import { randomBytes } from 'node:crypto';
import type { Crossing } from '@visitor-counter/domain/crossing';
import type { FileSystem } from './file-system.ts';
import { JournalCleaner } from './journal-cleaner.ts';
import { JournalReader } from './journal-reader.ts';
import type { JournalState } from './journal-state.ts';
import { JournalWriter } from './journal-writer.ts';
import { nodeFileSystem } from './node-file-system.ts';
import type { JournaledCrossing } from './record-codec.ts';
import { recoverJournal } from './recover-journal.ts';
import type { LostRange } from './scan-segment.ts';

export interface JournalOptions {
  readonly files?: FileSystem;
  /** When a segment is full. 4,096 records are 128 KiB. */
  readonly recordsPerSegment?: number;
  /** The acknowledged position could not be stored; it is tried again with the next one. */
  readonly onProblem?: (error: unknown) => void;
}

/** The unit's durable log of crossings, numbered 1, 2, 3, … without holes. */
export interface Journal {
  /** Random; 32 hexadecimal digits. */
  readonly id: string;
  /** Last durable sequence, and its crossing's instant (epoch ms); 0 when there was none. */
  readonly recorded: number;
  readonly recordedAt: number;
  /** Last sequence that the server has acknowledged, and its crossing's instant; 0 when there was none. */
  readonly acknowledged: number;
  readonly acknowledgedAt: number;
  /** Sequences that cannot be read any more and were not acknowledged. */
  readonly lost: readonly LostRange[];
  /** Files that could not be read at all; they stay in the folder under the name `*.damaged`. */
  readonly setAside: readonly string[];
  /** Resolves when the crossings are durable. Rejects with JournalFailed, and from then on always. */
  append(crossings: readonly Crossing[]): Promise<void>;
  /** Durable crossings with consecutive sequences, the first readable one from `from` on, at most `max`. */
  read(from: number, max: number): Promise<JournaledCrossing[]>;
  /** The server has stored everything through this sequence, whose crossing is at `at` (epoch ms). */
  acknowledge(through: number, at: number): void;
  /** Calls `listener` after every commit; returns what ends that. */
  onDurable(listener: () => void): () => void;
  close(): Promise<void>;
}

/**
 * Opens the journal in a folder, creating it if there is none and repairing what a cut left behind.
 * Throws JournalInUse while another process has it.
 */
export async function openJournal(directory: string, options: JournalOptions = {}): Promise<Journal> {
  const { files = nodeFileSystem, recordsPerSegment = 4_096, onProblem = () => {} } = options;
  await files.makeDirectory(directory);
  const unlock = await files.lock(directory);
  const found = await recoverJournal(files, directory, () => randomBytes(16).toString('hex')).catch(
    async (error: unknown) => {
      await unlock();
      throw error;
    },
  );
  const { journal, segments, recorded, recordedAt, lost, setAside } = found;
  const state: JournalState = { journal, directory, segments, recorded, recordedAt };
  const listeners = new Set<() => void>();
  const writer = new JournalWriter(files, state, recordsPerSegment, () => {
    for (const listener of listeners) listener();
  });
  const reader = new JournalReader(files, state);
  const cleaner = new JournalCleaner(files, state, found.acknowledged, onProblem);
  return {
    id: journal,
    lost,
    setAside,
    get recorded() {
      return state.recorded;
    },
    get recordedAt() {
      return state.recordedAt;
    },
    get acknowledged() {
      return cleaner.position.through;
    },
    get acknowledgedAt() {
      return cleaner.position.at;
    },
    append: (crossings) => writer.append(crossings),
    read: (from, max) => reader.read(from, max),
    acknowledge: (through, at) => cleaner.acknowledge(through, at),
    onDurable: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      await writer.close();
      await cleaner.close();
      await reader.close();
      await unlock();
    },
  };
}
