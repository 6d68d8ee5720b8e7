import { join } from 'node:path';
import type { Crossing } from '@visitor-counter/domain/crossing';
import type { FileSystem, OpenFile } from './file-system.ts';
import { JournalFailed } from './journal-errors.ts';
import type { JournalState } from './journal-state.ts';
import { checksumSeed, recordSize, writeRecord } from './record-codec.ts';
import { createSegment, positionOf } from './segment.ts';
import { segmentName } from './segment-name.ts';

interface Waiting {
  readonly crossings: readonly Crossing[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Appends with group commit: whatever arrives during one fdatasync shares the next.
 *
 * Invariant: `state.recorded` counts only what an fdatasync has covered, so nothing is sent or reported that
 * a power cut could take back. After a failed write or fdatasync the pages may be dropped while a repeated
 * fdatasync succeeds; the writer therefore never writes again.
 */
export class JournalWriter {
  readonly #files: FileSystem;
  readonly #state: JournalState;
  readonly #recordsPerSegment: number;
  readonly #onDurable: () => void;
  readonly #seed: number;
  #file: OpenFile | undefined;
  #waiting: Waiting[] = [];
  #committing: Promise<void> | undefined;
  #failure: JournalFailed | undefined;

  constructor(files: FileSystem, state: JournalState, recordsPerSegment: number, onDurable: () => void) {
    this.#files = files;
    this.#state = state;
    this.#recordsPerSegment = recordsPerSegment;
    this.#onDurable = onDurable;
    this.#seed = checksumSeed(state.journal);
  }

  /** Resolves when the crossings are durable. Rejects with JournalFailed, and from then on always. */
  append(crossings: readonly Crossing[]): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure);
    if (crossings.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ crossings, resolve, reject });
      this.#committing ??= this.#commit();
    });
  }

  /** Finishes what was begun and lets go of the file. */
  async close(): Promise<void> {
    await this.#committing;
    this.#failure ??= new JournalFailed('it was closed');
    await this.#file?.close();
    this.#file = undefined;
  }

  async #commit(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      try {
        await this.#write(group.flatMap(({ crossings }) => crossings));
        for (const { resolve } of group) resolve();
      } catch (error) {
        this.#fail(error, group);
      }
    }
    this.#committing = undefined;
  }

  #fail(error: unknown, group: readonly Waiting[]): void {
    this.#failure = new JournalFailed(error);
    for (const { reject } of [...group, ...this.#waiting]) reject(this.#failure);
    this.#waiting = [];
  }

  async #write(crossings: readonly Crossing[]): Promise<void> {
    for (let done = 0; done < crossings.length; ) {
      const { file, room } = await this.#segmentWithRoom();
      const part = crossings.slice(done, done + room);
      await this.#writePart(file, part);
      done += part.length;
    }
  }

  async #segmentWithRoom(): Promise<{ file: OpenFile; room: number }> {
    const { journal, directory, segments, recorded, recordedAt } = this.#state;
    const last = segments.at(-1);
    const room = last ? this.#recordsPerSegment - last.count : 0;
    if (last && room > 0) {
      this.#file ??= await this.#files.open(join(directory, last.name));
      return { file: this.#file, room };
    }
    await this.#file?.close();
    this.#file = undefined;
    const first = recorded + 1;
    this.#file = await createSegment(this.#files, directory, { journal, first, lastAt: recordedAt });
    this.#state.segments = [...this.#state.segments, { name: segmentName(first), first, count: 0 }];
    return { file: this.#file, room: this.#recordsPerSegment };
  }

  async #writePart(file: OpenFile, crossings: readonly Crossing[]): Promise<void> {
    const state = this.#state;
    const segment = state.segments.at(-1);
    const lastCrossing = crossings.at(-1);
    if (!segment || !lastCrossing) return;
    const bytes = Buffer.allocUnsafe(crossings.length * recordSize);
    for (const [index, { at, direction }] of crossings.entries()) {
      const sequence = state.recorded + 1 + index;
      writeRecord(bytes, index * recordSize, { sequence, at, direction, uncertainty: 0 }, this.#seed);
    }
    await file.write(bytes, positionOf(segment, state.recorded + 1));
    await file.sync();
    state.recorded += crossings.length;
    state.recordedAt = lastCrossing.at;
    state.segments = [
      ...state.segments.slice(0, -1),
      { ...segment, count: segment.count + crossings.length },
    ];
    this.#onDurable();
  }
}
