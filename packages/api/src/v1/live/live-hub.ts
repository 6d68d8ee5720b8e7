import type { Writable } from 'node:stream';
import type { StoreFacts } from '@visitor-counter/database/stores/store-facts';
import { utcText } from '@visitor-counter/domain/time';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';
import type { Caller } from '../../access/callers.ts';
import type { StoreBoard, Subject } from './store-board.ts';

interface LiveHubOptions {
  readonly board: StoreBoard;
  /** Epoch ms. */
  readonly now: () => number;
  /**
   * The callers whose credential or session still gives the same access. Throws while that cannot be known.
   */
  readonly stillValid: (callers: readonly Caller[]) => Promise<ReadonlySet<Caller>>;
  /** Logs an error; streams stay open, and report that their numbers are old. */
  readonly onError: (error: unknown) => void;
}

/** ms */
const [readInterval, beatInterval, checkInterval] = [150, 5_000, 3_000];

/** A state that was read longer ago is old, and after the other time the service is not ready (ms). */
const [stale, unready] = [5_000, 10_000];

/**
 * One open stream. At most one event is in flight, until the operating system has taken its last byte: so a stream costs one
 * event of memory however slowly the client reads. Changes in the meantime are sent together afterwards.
 */
interface Listener {
  readonly caller: Caller;
  readonly joinedAt: number;
  readonly response: Writable;
  /** The reading of the board that the client has; 0 before its first event. */
  reading: number;
}

function canWrite({ response }: Listener): boolean {
  return !response.destroyed && !response.writableEnded && response.writableLength === 0;
}

/** Ends a stream; a client that does not read is disconnected. */
function end({ response }: Listener): void {
  if (response.writableLength > 0) response.destroy();
  else response.end();
}

/** The listeners to the same stores of one company. They receive the same events, each of which is encoded once. */
interface Group {
  readonly storeIds: readonly number[];
  readonly listeners: Set<Listener>;
}

/**
 * Sends every listener what changes in its stores. The database is read at intervals for all of them together, and only
 * while there are listeners: crossings cost nothing here, and a listener costs what it is sent.
 */
export class LiveHub {
  readonly #options: LiveHubOptions;
  readonly #groups = new Map<string, Group>();
  #repetitions: readonly Repetition[] = [];
  #activeSince = 0;
  #isClosed = false;

  constructor(options: LiveHubOptions) {
    this.#options = options;
  }

  /** Begins to read, to send beats and to check callers at intervals; each continues after errors. */
  start(): void {
    const { onError } = this.#options;
    this.#repetitions = [
      repeat(readInterval, () => this.read(), onError),
      repeat(beatInterval, async () => this.beat(), onError),
      repeat(checkInterval, () => this.endInvalid(), onError),
    ];
  }

  /** False while there are listeners and the database has not been read for 10 s: their numbers are old. */
  get isReady(): boolean {
    const { board, now } = this.#options;
    return this.#groups.size === 0 || now() - Math.max(board.readAt, this.#activeSince) < unready;
  }

  /**
   * Sends a caller the state of these stores as soon as it is known, and from then on what changes, until the function it
   * returns is called.
   */
  join(caller: Caller, response: Writable, stores: readonly StoreFacts[]): () => void {
    const { board, now } = this.#options;
    const storeIds = stores.map(({ id }) => id);
    const key = `${caller.companyId} ${storeIds}`;
    if (this.#groups.size === 0) this.#activeSince = now();
    const group = this.#groups.get(key) ?? { storeIds, listeners: new Set() };
    this.#groups.set(key, group);
    const listener = { caller, joinedAt: now(), response, reading: 0 };
    /* Without a listener, a write that fails would end the process. */
    response.on('error', () => {});
    group.listeners.add(listener);
    board.add(stores);
    if (this.#isClosed) end(listener);
    return () => {
      group.listeners.delete(listener);
      board.remove(storeIds);
      if (group.listeners.size === 0) this.#groups.delete(key);
    };
  }

  /** Ends all streams. */
  close(): void {
    this.#isClosed = true;
    for (const repetition of this.#repetitions) void repetition.close();
    for (const { listeners } of this.#groups.values()) for (const listener of listeners) end(listener);
  }

  /** Reads what has changed, and sends it. */
  async read(): Promise<void> {
    if (this.#groups.size === 0) return;
    await this.#options.board.read();
    for (const group of this.#groups.values()) {
      try {
        this.#send(group);
      } catch (error) {
        this.#options.onError(error);
      }
    }
  }

  #send({ storeIds, listeners }: Group): void {
    const { board } = this.#options;
    /* A store may have been added during the reading. */
    if (!storeIds.every((id) => board.has(id))) return;
    const events = new Map<number, Buffer>();
    for (const listener of listeners) {
      if (!canWrite(listener)) continue;
      const event = events.get(listener.reading) ?? this.#eventsAfter(storeIds, listener.reading);
      events.set(listener.reading, event);
      if (event.length > 0) listener.response.write(event);
      listener.reading = board.reading;
    }
  }

  /** What has changed after a reading, as events; after none, the state of all stores. */
  #eventsAfter(storeIds: readonly number[], reading: number): Buffer {
    const { board, now } = this.#options;
    const at = now();
    const eventOf = (subject: Subject) => {
      const stores = storeIds.flatMap((id) => board.itemOf(id, subject, reading) ?? []);
      if (stores.length === 0 && reading > 0) return '';
      return `id: ${at}\n${eventText(subject, { at: utcText(at), stores })}`;
    };
    return Buffer.from(reading === 0 ? eventOf('occupancy') : eventOf('occupancy') + eventOf('completeness'));
  }

  /** Sends a beat on every stream that can send it now; before the state of all stores only if that takes long. */
  beat(): void {
    const { board, now } = this.#options;
    const at = now();
    const isRead = at - board.readAt < stale;
    for (const listener of this.#listeners()) {
      const isKnown = listener.reading > 0;
      if (!canWrite(listener) || !(isKnown || at - listener.joinedAt >= stale)) continue;
      listener.response.write(Buffer.from(eventText('beat', { at: utcText(at), fresh: isRead && isKnown })));
    }
  }

  /** Ends the streams of callers whose access has changed. */
  async endInvalid(): Promise<void> {
    const { stillValid } = this.#options;
    const listeners = this.#listeners();
    if (listeners.length === 0) return;
    const valid = await stillValid(listeners.map(({ caller }) => caller));
    for (const listener of listeners) if (!valid.has(listener.caller)) end(listener);
  }

  #listeners(): Listener[] {
    return [...this.#groups.values()].flatMap(({ listeners }) => [...listeners]);
  }
}

/** A server-sent event (WHATWG HTML, section 9.2). The data is JSON, so it has no line ends. */
function eventText(event: Subject | 'beat', data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
