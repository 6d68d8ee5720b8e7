import { messageOverhead } from '../backpressure/backpressure.ts';

/**
 * `late`: the database did not commit it in time. `overloaded`: there is no memory for it.
 */
export type WriteResult = 'stored' | 'late' | 'overloaded';

/** A message that is acknowledged when the state in it is written. */
interface AwaitedWrite {
  readonly deviceId: number;
  readonly bytes: number;
  /** From `performance.now()`. */
  readonly since: number;
  readonly report: (result: WriteResult) => void;
}

/** The messages that are acknowledged when the state of their device is written; each gets one result. */
export class AwaitedWrites {
  readonly #wait: number;
  readonly #maxBytes: number;
  #bytes = 0;
  #waiting: AwaitedWrite[] = [];
  #inFlight: readonly AwaitedWrite[] = [];

  /** A message waits at most `wait` ms; all together need at most `maxBytes` of memory. */
  constructor(wait: number, maxBytes: number) {
    this.#wait = wait;
    this.#maxBytes = maxBytes;
  }

  /**
   * Adds a message with a payload of `payloadBytes` bytes; resolves with the result of the next write. Returns
   * undefined if there is no memory for it.
   */
  add(deviceId: number, payloadBytes: number): Promise<WriteResult> | undefined {
    const bytes = payloadBytes + messageOverhead;
    if (this.#bytes + bytes > this.#maxBytes) return undefined;
    this.#bytes += bytes;
    const { promise, resolve } = Promise.withResolvers<WriteResult>();
    this.#waiting.push({ deviceId, bytes, since: performance.now(), report: resolve });
    return promise;
  }

  /** The devices whose messages wait, including those of the write in flight. */
  devices(): ReadonlySet<number> {
    return new Set([...this.#waiting, ...this.#inFlight].map(({ deviceId }) => deviceId));
  }

  /** A write of everything known so far begins. */
  begin(): void {
    this.#inFlight = this.#waiting;
    this.#waiting = [];
  }

  /** The write is committed. */
  written(): void {
    const written = this.#inFlight;
    this.#inFlight = [];
    for (const one of written) this.#report(one, 'stored');
  }

  /** The write has failed: its messages wait for the next one. */
  failed(): void {
    this.#waiting = [...this.#inFlight, ...this.#waiting];
    this.#inFlight = [];
  }

  /**
   * Reports `late` for the messages that have waited too long at a moment (`performance.now()`), except those of the write
   * in flight: statements have time limits.
   */
  expire(now: number): void {
    const oldest = now - this.#wait;
    const first = this.#waiting.findIndex(({ since }) => since >= oldest);
    for (const one of this.#waiting.splice(0, first < 0 ? this.#waiting.length : first)) {
      this.#report(one, 'late');
    }
  }

  #report({ report, bytes }: AwaitedWrite, result: WriteResult): void {
    this.#bytes -= bytes;
    report(result);
  }
}
