import { EventEmitter, once } from 'node:events';
import type { MonotonicMs } from '@visitor-counter/domain/time';
import { beginOfTime, latest } from '../clock/time.ts';
import type { Beams, BeamsHealth, Edge, Restart } from './beams.ts';

/** The most batches that are read ahead; the rest remain in the source. */
const most = 10_000;

type Batch = readonly (Edge | Restart)[];

/**
 * Reads the lines as soon as it is constructed, even while the journal is opened or the disk is slow: people do not wait.
 *
 * Invariant: `now` never passes the stamp of an edge that was read and is not returned yet; otherwise the detector would
 * decide without it.
 */
export class ReadAhead implements Beams {
  readonly levels;
  readonly stampClock;
  readonly repeats;
  readonly #source: Beams;
  readonly #stopping = new AbortController();
  readonly #changes = new EventEmitter();
  readonly #ended: Promise<void>;
  #waiting: Batch[] = [];
  #isEnded = false;
  #passed = beginOfTime;

  constructor(source: Beams) {
    this.#source = source;
    this.levels = source.levels;
    this.stampClock = source.stampClock;
    this.repeats = source.repeats;
    this.#ended = this.#read().finally(() => {
      this.#isEnded = true;
      this.#changes.emit('changed');
    });
    /* Reported to the caller of `edges`, which may come later. */
    this.#ended.catch(() => {});
  }

  get live(): boolean {
    return this.#waiting.length === 0 && this.#source.live;
  }

  get health(): BeamsHealth | undefined {
    return this.#source.health;
  }

  now(): MonotonicMs | undefined {
    const until = this.#waiting[0]?.[0]?.at ?? this.#source.now();
    if (until === undefined) return undefined;
    this.#passed = latest(this.#passed, until);
    return this.#passed;
  }

  async *edges(signal: AbortSignal): AsyncGenerator<Batch> {
    if (signal.aborted) this.#stopping.abort();
    signal.addEventListener('abort', () => this.#stopping.abort(), { once: true });
    for (;;) {
      const batch = this.#waiting.shift();
      if (batch) {
        this.#changes.emit('changed');
        yield batch;
      } else if (this.#isEnded) {
        return await this.#ended;
      } else {
        await once(this.#changes, 'changed');
      }
    }
  }

  /** Releases the lines if no one reads the edges. */
  async close(): Promise<void> {
    this.#stopping.abort();
    this.#changes.emit('changed');
    await this.#ended.catch(() => {});
  }

  async #read(): Promise<void> {
    const { signal } = this.#stopping;
    for await (const batch of this.#source.edges(signal)) {
      if (batch.length === 0) continue;
      this.#waiting.push(batch);
      this.#changes.emit('changed');
      while (this.#waiting.length >= most && !signal.aborted) await once(this.#changes, 'changed');
    }
  }
}
