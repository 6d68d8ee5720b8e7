import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import { BackOff } from '@visitor-counter/service/back-off';
import type { Gate } from '../backpressure/backpressure.ts';
import { HeldMemory, type Holder, type MemoryLimits } from '../backpressure/memory-budget.ts';
import type { CommitFacts, Load } from '../metrics/commit-facts.ts';
import { crossingsOf, oldestOf, type Ticket, TicketQueue } from './fair-queue.ts';
import type { Outcome } from './ingest-result.ts';

export interface GroupCommitterOptions {
  /** Stores messages and returns when they are committed; throws when the database is away. */
  readonly store: (messages: readonly MessageToStore[]) => Promise<readonly Outcome[]>;
  /** Closed while so much waits that nothing more should be read from any client. */
  readonly gate: Gate;
  /** The database is away; it is tried again after `pause` ms. */
  readonly onAway: (error: unknown, pause: number) => void;
  /** A transaction has committed. */
  readonly onCommit?: (facts: CommitFacts) => void;
  readonly limits?: Partial<CommitLimits>;
}

export interface CommitLimits extends MemoryLimits {
  /** Crossings in one transaction. */
  readonly rows: number;
  /** How long a client is kept waiting for its PUBACK (ms): well within a keep-alive. */
  readonly wait: number;
}

const defaultLimits: CommitLimits = {
  rows: 2_000,
  wait: 8_000,
  heldBytes: 32 * 1024 * 1024,
  heldBytesPerClient: 8 * 1024 * 1024,
};

/** What a message holds in memory beside its payload (bytes): the broker's part of it. */
const overhead = 1_024;

/** A payload and its parsed form take about this many times the payload. */
const parsedFactor = 4;

/**
 * Gathers the messages of all devices into transactions: while one is under way everything that arrives
 * waits, and becomes the next. So a transaction is small when little comes and large when much comes, without
 * a clock.
 *
 * Every message is settled exactly once, and as `stored` only after the transaction that holds it has
 * committed. A transaction that fails is as one that never was: its messages go back to the front. Were
 * one of them settled as stored before the commit is known, its unit would forget a crossing that the
 * next crash loses.
 */
export class GroupCommitter {
  readonly #options: GroupCommitterOptions;
  readonly #limits: CommitLimits;
  readonly #queue = new TicketQueue();
  readonly #expiry: NodeJS.Timeout;
  readonly #backOff = new BackOff({ first: 50, longest: 2_000 });
  readonly #closing = new AbortController();
  #underWay: readonly Ticket[] = [];
  #running: Promise<void> | undefined;
  readonly #memory: HeldMemory;

  constructor(options: GroupCommitterOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#memory = new HeldMemory(this.#limits, options.gate);
    this.#expiry = setInterval(() => this.#expire(), Math.min(250, this.#limits.wait));
  }

  /** Stores a message of `holder` that took `payloadBytes` on the wire, and tells what became of it. */
  submit(
    message: MessageToStore,
    holder: Holder,
    payloadBytes: number,
    settled: (outcome: Outcome) => void,
  ): void {
    const bytes = parsedFactor * payloadBytes + overhead;
    if (this.#closing.signal.aborted || !this.#memory.hasRoom(holder, bytes)) {
      settled('overloaded');
      return;
    }
    this.#memory.hold(holder, bytes);
    this.#queue.push({ message, holder, bytes, arrivedAt: Date.now(), settle: settled });
    this.#running ??= this.#run();
  }

  /** What is in memory now. */
  get load(): Load {
    return {
      messages: this.#queue.length + this.#underWay.length,
      crossings: this.#queue.crossings + crossingsOf(this.#underWay),
      bytes: this.#memory.bytes,
    };
  }

  /** When the oldest message came that is not stored (epoch ms); undefined when there is none. */
  get waitingSince(): number | undefined {
    const { oldest = Number.POSITIVE_INFINITY } = this.#queue;
    const since = Math.min(oldest, oldestOf(this.#underWay) ?? oldest);
    return Number.isFinite(since) ? since : undefined;
  }

  /** Waits until everything is settled, at most `deadline` ms. */
  async drain(deadline: number): Promise<void> {
    const stopWaiting = new AbortController();
    const late = delay(deadline, undefined, { signal: stopWaiting.signal }).catch(() => {});
    await Promise.race([this.#running, late]);
    stopWaiting.abort();
  }

  /** Stops after the transaction that is under way; what waits is settled as `late`. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#expiry);
    await this.#running;
    for (const ticket of this.#queue.removeOlder(Number.POSITIVE_INFINITY)) this.#settle(ticket, 'late');
  }

  async #run(): Promise<void> {
    let settle = () => {};
    while (this.#queue.length > 0 && !this.#closing.signal.aborted) {
      /* Everything that the sockets have brought in this turn goes into the same transaction. */
      await nextTurn();
      this.#underWay = this.#queue.take(this.#limits.rows);
      const storing = this.#store(this.#underWay);
      /* The database begins on these before those of the last transaction are answered. */
      await nextTurn();
      settle();
      settle = await storing;
    }
    this.#running = undefined;
    settle();
  }

  /** Gives what is to be done when they are stored. */
  async #store(tickets: readonly Ticket[]): Promise<() => void> {
    if (tickets.length === 0) return () => {};
    const begun = performance.now();
    try {
      const outcomes = await this.#options.store(tickets.map(({ message }) => message));
      this.#underWay = [];
      this.#backOff.reset();
      this.#tellCommit(tickets, performance.now() - begun);
      return () => {
        for (const [index, ticket] of tickets.entries()) this.#settle(ticket, outcomes[index] ?? 'late');
      };
    } catch (error) {
      this.#underWay = [];
      this.#queue.putBack(tickets.filter(({ settle }) => settle !== undefined));
      const pause = this.#backOff.next();
      this.#options.onAway(error, pause);
      await delay(pause, undefined, { signal: this.#closing.signal }).catch(() => {});
      return () => {};
    }
  }

  #tellCommit(tickets: readonly Ticket[], took: number): void {
    const now = Date.now();
    const oldest = Math.max(0, now - (oldestOf(tickets) ?? now));
    this.#options.onCommit?.({ messages: tickets.length, crossings: crossingsOf(tickets), took, oldest });
  }

  #expire(): void {
    const instant = Date.now() - this.#limits.wait;
    for (const ticket of this.#queue.removeOlder(instant)) this.#settle(ticket, 'late');
    for (const ticket of this.#underWay) if (ticket.arrivedAt < instant) this.#settle(ticket, 'late');
  }

  #settle(ticket: Ticket, outcome: Outcome): void {
    const { settle, holder, bytes } = ticket;
    if (settle === undefined) return;
    ticket.settle = undefined;
    this.#memory.hold(holder, -bytes);
    settle(outcome);
  }
}
