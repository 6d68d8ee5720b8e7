import type { Writable } from 'node:stream';
import { utcText } from '@visitor-counter/domain/time';
import type { Caller } from '../../access/callers.ts';
import type { Changes, StoreBoard } from './store-board.ts';

/** When a client may connect again whose stream the service could not continue (ms). */
const retryAfter = 10_000;

/** How long an event with the state of all stores is sent to further listeners (ms). */
const reused = 1_000;

interface ListenerOptions {
  readonly caller: Caller;
  readonly response: Writable;
  /** An event with the state of all stores that the caller listens to; undefined while that is not known. */
  readonly latest: () => Buffer | undefined;
  /** Receives an error that `latest` throws: this stream must end, and the others continue. */
  readonly onError: (listener: Listener, error: unknown) => void;
}

/**
 * One open stream. At most one event is in flight: changes in the meantime are replaced by the latest state,
 * which is sent once the client has received the previous event. So a stream costs one event of memory
 * however slowly the client reads, and an event of any size is sent once.
 *
 * An event is in flight until the operating system has taken its last byte. The result of `write` does not
 * show that: it is false for every event that is larger than the stream's buffer.
 */
export class Listener {
  readonly caller: Caller;
  readonly #response: Writable;
  readonly #options: ListenerOptions;
  #isWriting = false;
  /** The client must receive the latest state. */
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

  /** Sends an event that is dropped if it cannot be sent now. */
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

/**
 * The listeners to the same stores of one company. They receive the same events, each of which is encoded once. The
 * state of the stores is on the board: a listener costs no memory for them.
 */
export class StoreGroup {
  readonly companyId: number;
  readonly storeIds: readonly number[];
  readonly listeners = new Set<Listener>();
  /** Epoch ms. */
  readonly createdAt: number;
  readonly #wanted: ReadonlySet<number>;
  readonly #board: StoreBoard;
  readonly #now: () => number;
  #latest: { readonly version: number; readonly at: number; readonly event: Buffer } | undefined;

  /** `now`: epoch ms. */
  constructor(companyId: number, storeIds: readonly number[], board: StoreBoard, now: () => number) {
    this.companyId = companyId;
    this.storeIds = storeIds;
    this.#wanted = new Set(storeIds);
    this.#board = board;
    this.#now = now;
    this.createdAt = now();
  }

  /** Whether the state of every store has been read. */
  get isKnown(): boolean {
    return this.storeIds.every((id) => this.#board.has(id));
  }

  /**
   * An event with the state of every store; undefined before all are known, and while the board cannot be read: old
   * numbers would look current until the next beat. The same buffer for a second, or until the board changes: a page
   * takes the server's time from it.
   */
  latest(): Buffer | undefined {
    const { version } = this.#board;
    const at = this.#now();
    if (this.#latest?.version === version && at - this.#latest.at < reused) return this.#latest.event;
    this.#latest = undefined;
    if (!this.isKnown || !this.#board.isReadable) return undefined;
    this.#latest = { version, at, event: this.#event('occupancy', this.storeIds) };
    return this.#latest.event;
  }

  /** Sends each listener what has changed, or the state of all stores if it does not have that. Throws if none can be written. */
  update({ occupancy, completeness }: Changes): void {
    const events = [...this.#changed('occupancy', occupancy), ...this.#changed('completeness', completeness)];
    const changed = events.length > 0 ? Buffer.concat(events) : undefined;
    for (const listener of this.listeners) {
      if (changed) listener.update(changed);
      listener.catchUp();
    }
  }

  /** `isRead`: the database has been read lately. */
  beat(isRead: boolean): void {
    const data = JSON.stringify({ at: utcText(this.#now()), fresh: isRead && this.isKnown });
    const event = eventBytes('beat', data);
    for (const listener of this.listeners) listener.beat(event);
  }

  #changed(event: 'occupancy' | 'completeness', storeIds: readonly number[]): Buffer[] {
    const wanted = storeIds.filter((id) => this.#wanted.has(id));
    return wanted.length > 0 ? [this.#event(event, wanted)] : [];
  }

  #event(event: 'occupancy' | 'completeness', storeIds: readonly number[]): Buffer {
    const at = this.#now();
    const stores = storeIds.flatMap((id) => this.#board.itemOf(id, event) ?? []);
    return eventBytes(event, JSON.stringify({ at: utcText(at), stores }), at);
  }
}

/** A server-sent event (WHATWG HTML, section 9.2) as it is sent. The data is JSON, so it has no line ends. */
function eventBytes(event: 'occupancy' | 'completeness' | 'beat', data: string, id?: number): Buffer {
  return Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`);
}
