import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { StoreFacts } from '@visitor-counter/database/reading/store-facts';
import type { Caller } from '../v1/caller.ts';
import { Audience } from './audience.ts';
import { eventBytes } from './event-bytes.ts';
import { Listener } from './listener.ts';
import type { Changes, StoreBoard } from './store-board.ts';

export interface LiveHubOptions {
  readonly board: StoreBoard;
  /** Epoch ms. */
  readonly now: () => number;
  /** Those of the callers who still see what they saw. Throws while that cannot be known. */
  readonly stillValid: (callers: readonly Caller[]) => Promise<ReadonlySet<Caller>>;
  readonly onError: (error: unknown) => void;
  readonly times?: Partial<LiveTimes>;
}

/** All in ms. */
export interface LiveTimes {
  /** Between two looks at what has just changed. */
  readonly look: number;
  /** Between two looks at everything. */
  readonly lookAtAll: number;
  readonly beat: number;
  /** Between two looks at whether callers may still listen. */
  readonly check: number;
  /** Numbers that could not be read for so long are old. */
  readonly stale: number;
}

const defaultTimes: LiveTimes = { look: 150, lookAtAll: 2_000, beat: 5_000, check: 3_000, stale: 5_000 };

/**
 * Tells everybody who listens what has changed in their stores. The database is asked at intervals for all of them
 * together, and only while there is anybody: what people do at the doors costs nothing here, and a listener
 * costs what they are sent.
 */
export class LiveHub {
  readonly #options: LiveHubOptions;
  readonly #times: LiveTimes;
  readonly #audiences = new Map<string, Audience>();
  #running = false;
  #closed = false;
  #readAt: number;

  constructor(options: LiveHubOptions) {
    this.#options = options;
    this.#times = { ...defaultTimes, ...options.times };
    this.#readAt = options.now();
  }

  get listeners(): number {
    return [...this.#audiences.values()].reduce((sum, { listeners }) => sum + listeners.size, 0);
  }

  /**
   * Tells a caller the number of every store at once, and from then on what changes, until the function it
   * resolves with is called.
   */
  async join(caller: Caller, response: Writable, stores: readonly StoreFacts[]): Promise<() => void> {
    const storeIds = stores.map(({ id }) => id);
    const key = storeIds.join(' ');
    const audience = this.#audiences.get(key) ?? this.#gather(key, storeIds);
    const listener = new Listener(caller, response, () => audience.latest());
    audience.listeners.add(listener);
    const { board } = this.#options;
    const isNew = storeIds.some((id) => !board.has(id));
    board.add(stores);
    /* What has changed by then is news to others, and is told once. */
    if (isNew) this.#tell(await board.lookAtNew(storeIds));
    listener.begin();
    this.#run();
    return () => {
      audience.listeners.delete(listener);
      if (audience.listeners.size === 0 && this.#audiences.delete(key)) this.#forget(audience.storeIds);
    };
  }

  #gather(key: string, storeIds: readonly number[]): Audience {
    const { board, now } = this.#options;
    const audience = new Audience(storeIds, board, now);
    this.#audiences.set(key, audience);
    return audience;
  }

  /** Ends all streams. */
  close(): void {
    this.#closed = true;
    for (const { listeners } of this.#audiences.values()) for (const listener of listeners) listener.end();
  }

  #forget(storeIds: readonly number[]): void {
    const watched = new Set([...this.#audiences.values()].flatMap((audience) => audience.storeIds));
    for (const id of storeIds) if (!watched.has(id)) this.#options.board.remove(id);
  }

  #run(): void {
    if (this.#running) return;
    this.#running = true;
    const { board } = this.#options;
    const { look, lookAtAll, beat, check } = this.#times;
    const loops = [
      this.#repeat(look, async () => this.#tell(await board.look())),
      this.#repeat(lookAtAll, async () => this.#tell(await board.lookAtAll())),
      this.#repeat(beat, async () => this.#beat()),
      this.#repeat(check, () => this.#endInvalid()),
    ];
    void Promise.all(loops).then(() => {
      this.#running = false;
      if (this.#isListenedTo) this.#run();
    });
  }

  get #isListenedTo(): boolean {
    return !this.#closed && this.#audiences.size > 0;
  }

  async #repeat(interval: number, work: () => Promise<void>): Promise<void> {
    while (this.#isListenedTo) {
      await work().catch(this.#options.onError);
      await delay(interval, undefined, { ref: false });
    }
  }

  #tell(changes: Changes): void {
    this.#readAt = this.#options.now();
    for (const audience of this.#audiences.values()) audience.tell(changes);
  }

  #beat(): void {
    const now = this.#options.now();
    const fresh = now - this.#readAt < this.#times.stale;
    const beat = eventBytes('beat', JSON.stringify({ at: new Date(now).toISOString(), fresh }));
    for (const audience of this.#audiences.values()) audience.send(beat);
  }

  async #endInvalid(): Promise<void> {
    const listeners = [...this.#audiences.values()].flatMap((audience) => [...audience.listeners]);
    const valid = await this.#options.stillValid(listeners.map(({ caller }) => caller));
    for (const listener of listeners) if (!valid.has(listener.caller)) listener.end();
  }
}
