import { createReadStream } from 'node:fs';
import type { EpochMs, MonotonicMs } from '@visitor-counter/domain/time';
import { sleepUntil } from '../async/concurrency.ts';
import { recordedMoment } from '../clock/time.ts';
import type { ReplayBeamsConfig } from '../config/agent-config.ts';
import { type Beams, type BeamsStart, type Edge, unknownLevels } from './beams.ts';
import { readTrace } from './read-trace.ts';

/**
 * Plays a recorded trace with its recorded stamps: as fast as the journal stores crossings or, in real time, with the
 * recorded intervals from now on.
 *
 * After a restart it plays from the beginning again, since the state of the beams at an edge depends on the
 * edges before it. `repeats` prevents journaled crossings from being counted twice.
 */
export class ReplayBeams implements Beams {
  readonly levels = unknownLevels;
  readonly stampClock = 'epoch';
  readonly repeats = true;
  readonly #settings: ReplayBeamsConfig;
  readonly #clock: () => EpochMs;
  /** The difference (ms) between the instant at which an edge is played and its stamp. */
  #shift: number | undefined;
  #ended = false;

  constructor(settings: ReplayBeamsConfig, { clock }: BeamsStart) {
    this.#settings = settings;
    this.#clock = clock;
  }

  get live(): boolean {
    return this.#ended;
  }

  now(): MonotonicMs | undefined {
    if (!this.#settings.realTime || this.#shift === undefined) return undefined;
    return recordedMoment(this.#clock() - this.#shift);
  }

  async *edges(signal: AbortSignal): AsyncGenerator<readonly Edge[]> {
    for await (const batch of readTrace(createReadStream(this.#settings.file, { highWaterMark: 16_384 }))) {
      if (signal.aborted) return;
      if (!this.#settings.realTime) yield batch;
      else yield* this.#inRealTime(batch, signal);
    }
    this.#ended = true;
  }

  async *#inRealTime(batch: readonly Edge[], signal: AbortSignal): AsyncGenerator<readonly Edge[]> {
    for (const edge of batch) {
      this.#shift ??= this.#clock() - edge.at;
      if (!(await sleepUntil(edge.at + this.#shift, this.#clock, signal))) return;
      yield [edge];
    }
  }
}
