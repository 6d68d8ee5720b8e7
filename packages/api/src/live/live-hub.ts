import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { StoreFacts } from '@visitor-counter/database/reading/store-facts';
import type { Caller } from '../v1/caller.ts';
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

const defaultTimes: LiveTimes = { look: 150, lookAtAll: 2_000, beat: 5_000, check: 4_000, stale: 5_000 };

/**
 * Listeners who see the same stores are told the same, which is encoded once for all of them. What is known of the
 * stores is on the board: a listener holds nothing of them.
 */
interface Audience {
  readonly key: string;
  readonly storeIds: readonly number[];
  readonly listeners: Set<Listener>;
}

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
    const audience = this.#audienceOf(stores);
    const { key, storeIds } = audience;
    const listener = new Listener(caller, response, () => this.#occupancyEvent(storeIds));
    audience.listeners.add(listener);
    const { board } = this.#options;
    const isNew = storeIds.some((id) => !board.has(id));
    board.add(stores);
    if (isNew) {
      await board.lookAtAll();
      this.#readAt = this.#options.now();
    }
    listener.send(this.#occupancyEvent(storeIds));
    this.#run();
    return () => {
      audience.listeners.delete(listener);
      if (audience.listeners.size === 0 && this.#audiences.delete(key)) this.#forget(storeIds);
    };
  }

  #audienceOf(stores: readonly StoreFacts[]): Audience {
    const storeIds = stores.map(({ id }) => id);
    const key = storeIds.join(' ');
    const audience = this.#audiences.get(key) ?? { key, storeIds, listeners: new Set() };
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

  #tell({ occupancy, health }: Changes): void {
    this.#readAt = this.#options.now();
    for (const { storeIds, listeners } of this.#audiences.values()) {
      const seen = new Set(storeIds);
      const changed = occupancy.filter((id) => seen.has(id));
      const otherwise = health.filter((id) => seen.has(id));
      const events = [
        ...(changed.length > 0 ? [this.#occupancyEvent(changed)] : []),
        ...(otherwise.length > 0 ? [this.#healthEvent(otherwise)] : []),
      ];
      if (events.length === 0) continue;
      const told = Buffer.concat(events);
      for (const listener of listeners) listener.send(told);
    }
  }

  #beat(): void {
    const now = this.#options.now();
    const data = JSON.stringify({ at: iso(now), fresh: now - this.#readAt < this.#times.stale });
    const beat = eventBytes('beat', data);
    for (const { listeners } of this.#audiences.values()) for (const one of listeners) one.send(beat);
  }

  async #endInvalid(): Promise<void> {
    const listeners = [...this.#audiences.values()].flatMap((audience) => [...audience.listeners]);
    const valid = await this.#options.stillValid(listeners.map(({ caller }) => caller));
    for (const listener of listeners) if (!valid.has(listener.caller)) listener.end();
  }

  #occupancyEvent(storeIds: readonly number[]): Buffer {
    return this.#event(
      'occupancy',
      storeIds.flatMap((id) => this.#options.board.shown(id) ?? []),
    );
  }

  #healthEvent(storeIds: readonly number[]): Buffer {
    return this.#event(
      'health',
      storeIds.flatMap((id) => this.#options.board.shownHealth(id) ?? []),
    );
  }

  #event(event: 'occupancy' | 'health', stores: readonly string[]): Buffer {
    const now = this.#options.now();
    return eventBytes(event, `{"at":"${iso(now)}","stores":[${stores.join(',')}]}`, now);
  }
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
