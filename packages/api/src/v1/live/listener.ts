import type { Writable } from 'node:stream';
import type { Caller } from '../../access/callers.ts';

/** When a client may connect again whose stream the service could not continue (ms). */
const retryAfter = 10_000;

export interface ListenerOptions {
  readonly caller: Caller;
  readonly response: Writable;
  /** An event with the state of all stores that the caller listens to; undefined before that is known. */
  readonly latest: () => Buffer | undefined;
  /** Receives what `latest` throws: the stream cannot go on, and the others must. */
  readonly onError: (listener: Listener, error: unknown) => void;
}

/**
 * One open stream. At most one event is in flight: what changes meanwhile is replaced by the latest state, which is
 * sent once the client has taken the event before. So a stream costs one event of memory however slowly the client
 * reads, and an event of any size is sent once.
 *
 * An event is in flight until the operating system has taken its last byte. Whether `write` returns false says nothing
 * of that: it does so for every event that is larger than the stream's buffer.
 */
export class Listener {
  readonly caller: Caller;
  readonly #response: Writable;
  readonly #options: ListenerOptions;
  #isWriting = false;
  /** The client has to be sent the latest state. */
  #isOutdated = true;
  #isClosed = false;

  constructor(options: ListenerOptions) {
    this.caller = options.caller;
    this.#response = options.response;
    this.#options = options;
    /* Without a listener, a write that fails would end the process. */
    options.response.on('error', () => this.#close());
    options.response.on('close', () => this.#close());
  }

  /** Sends the latest state where the client does not have it and nothing is in flight. Never throws. */
  catchUp(): void {
    if (this.#isClosed || this.#isWriting || !this.#isOutdated) return;
    try {
      const latest = this.#options.latest();
      if (latest === undefined) return;
      this.#isOutdated = false;
      this.#write(latest);
    } catch (error) {
      this.#options.onError(this, error);
    }
  }

  /** Sends what has changed in the state that the client has. */
  update(event: Buffer): void {
    if (this.#isClosed || this.#isOutdated) return;
    if (this.#isWriting) this.#isOutdated = true;
    else this.#write(event);
  }

  /** Sends an event that is of no use later. */
  beat(event: Buffer): void {
    if (!this.#isClosed && !this.#isWriting) this.#write(event);
  }

  /** Ends the stream; a client that does not read is disconnected. `retry`: the client may come back after a while. */
  end({ retry = false } = {}): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#isWriting) this.#response.destroy();
    else this.#response.end(retry ? `retry: ${retryAfter}\n\n` : undefined);
  }

  #write(event: Buffer): void {
    this.#isWriting = true;
    this.#response.write(event, (error) => this.#onWritten(error));
  }

  #onWritten(error: Error | null | undefined): void {
    this.#isWriting = false;
    if (error) this.#close();
    else this.catchUp();
  }

  #close(): void {
    this.#isClosed = true;
  }
}
