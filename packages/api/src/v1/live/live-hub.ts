import type { Writable } from 'node:stream';
import type { StoreFacts } from '@visitor-counter/database/stores/stores';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';
import type { Caller } from '../../access/callers.ts';
import { Listener, StoreGroup } from './listener.ts';
import { type StoreBoard, stale } from './store-board.ts';

interface LiveHubOptions {
  readonly board: StoreBoard;
  /** Epoch ms. */
  readonly now: () => number;
  /**
   * The callers whose credential or session still gives the same access. Throws while that cannot be known.
   */
  readonly stillValid: (callers: readonly Caller[]) => Promise<ReadonlySet<Caller>>;
  readonly log: LiveLog;
}

interface LiveLog {
  /** Receives errors that concern all streams: they stay open, and report that their numbers are old. */
  failed(error: unknown): void;
  /** Logs that the streams of a company were closed since its values cannot be formatted; once until they can. */
  closed(error: unknown, facts: { readonly companyId: number; readonly streams: number }): void;
}

/** ms */
const [readInterval, beatInterval, checkInterval] = [150, 5_000, 3_000];

/** Without a reading for so long the service is not ready (ms). */
const unready = 10_000;

/**
 * Sends every listener what changes in its stores. The database is read at intervals for all of them together, and only
 * while there are listeners: crossings cost nothing here, and a listener costs what it is sent. A failure of one listener or
 * company closes its streams and no others.
 */
export class LiveHub {
  readonly #options: LiveHubOptions;
  readonly #groups = new Map<string, StoreGroup>();
  /** Companies whose failure is logged. */
  readonly #failing = new Set<number>();
  #repetitions: readonly Repetition[] = [];
  #activeSince = 0;
  #isClosed = false;

  constructor(options: LiveHubOptions) {
    this.#options = options;
  }

  /** Begins to read, to send beats and to check callers at intervals; each continues after errors. */
  start(): void {
    const onError = (error: unknown) => this.#options.log.failed(error);
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
    const group = this.#groups.get(key) ?? new StoreGroup(caller.companyId, storeIds, board, now);
    this.#groups.set(key, group);
    const listener = new Listener({
      caller,
      response,
      latest: () => group.latest(),
      onError: (failed, error) => {
        failed.end({ retry: true });
        this.#logClosed(group.companyId, 1, error);
      },
    });
    group.listeners.add(listener);
    board.add(caller.companyId, stores);
    if (this.#isClosed) listener.end();
    listener.catchUp();
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
    for (const { listeners } of this.#groups.values()) for (const listener of listeners) listener.end();
  }

  /** Reads what has changed, and sends it. */
  async read(): Promise<void> {
    if (this.#groups.size === 0) return;
    const { failures, ...changes } = await this.#options.board.read();
    for (const group of this.#groups.values()) {
      const { companyId } = group;
      try {
        if (failures.has(companyId)) throw failures.get(companyId);
        group.update(changes);
        if (group.isKnown) this.#failing.delete(companyId);
      } catch (error) {
        for (const listener of group.listeners) listener.end({ retry: true });
        this.#logClosed(companyId, group.listeners.size, error);
      }
    }
  }

  /** Sends a beat on every stream. */
  beat(): void {
    const { board, now } = this.#options;
    const isRead = now() - board.readAt < stale;
    for (const group of this.#groups.values()) {
      /* The first event of a stream has the state of all stores, unless that takes too long. */
      if (group.isKnown || now() - group.createdAt >= stale) group.beat(isRead);
    }
  }

  /** Ends the streams of callers whose access has changed, and of stores that a restored database does not have. */
  async endInvalid(): Promise<void> {
    const { board, stillValid } = this.#options;
    for (const { storeIds, listeners } of this.#groups.values()) {
      if (storeIds.some((id) => board.isGone(id))) for (const listener of listeners) listener.end();
    }
    const listeners = [...this.#groups.values()].flatMap((group) => [...group.listeners]);
    if (listeners.length === 0) return;
    const valid = await stillValid(listeners.map(({ caller }) => caller));
    for (const listener of listeners) if (!valid.has(listener.caller)) listener.end();
  }

  #logClosed(companyId: number, streams: number, error: unknown): void {
    if (!this.#failing.has(companyId)) this.#options.log.closed(error, { companyId, streams });
    this.#failing.add(companyId);
  }
}
