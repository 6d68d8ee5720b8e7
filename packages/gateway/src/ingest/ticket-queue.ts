import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import type { Holder } from './held-memory.ts';
import type { Outcome } from './outcome.ts';

/** A message on its way into the database. */
export interface Ticket {
  readonly message: MessageToStore;
  readonly holder: Holder;
  /** What it holds in memory. */
  readonly bytes: number;
  /** Epoch ms. */
  readonly arrivedAt: number;
  /** Told once; undefined after that. */
  settle: ((outcome: Outcome) => void) | undefined;
}

/** The messages that wait for the next transaction, oldest first. */
export class TicketQueue {
  #tickets: Ticket[] = [];
  #head = 0;

  get length(): number {
    return this.#tickets.length - this.#head;
  }

  /** The crossings in all tickets; takes time in proportion to the length. */
  get crossings(): number {
    return crossingsOf(this.#tickets, this.#head);
  }

  /** When the oldest ticket arrived (epoch ms). */
  get oldest(): number | undefined {
    return this.#tickets[this.#head]?.arrivedAt;
  }

  push(ticket: Ticket): void {
    this.#tickets.push(ticket);
  }

  /** Takes the oldest tickets, at most `maxRows` crossings in all but at least one ticket. */
  take(maxRows: number): Ticket[] {
    const start = this.#head;
    for (let rows = 0; this.#head < this.#tickets.length; this.#head += 1) {
      rows += weightOf(this.#tickets[this.#head]);
      if (rows > maxRows && this.#head > start) break;
    }
    const taken = this.#tickets.slice(start, this.#head);
    this.#forgetTaken();
    return taken;
  }

  /** Gives tickets back that were taken; the oldest are first again. */
  putBack(tickets: readonly Ticket[]): void {
    const all = [...tickets, ...this.#tickets.slice(this.#head)];
    this.#tickets = all.sort((a, b) => a.arrivedAt - b.arrivedAt);
    this.#head = 0;
  }

  /** Removes the tickets that arrived before `instant` (epoch ms). */
  removeOlder(instant: number): Ticket[] {
    const start = this.#head;
    while ((this.#tickets[this.#head]?.arrivedAt ?? Number.POSITIVE_INFINITY) < instant) this.#head += 1;
    const removed = this.#tickets.slice(start, this.#head);
    this.#forgetTaken();
    return removed;
  }

  /** Moving the rest to the front costs its length: done only when that is less than what it frees. */
  #forgetTaken(): void {
    if (this.#head < this.length) return;
    this.#tickets = this.#tickets.slice(this.#head);
    this.#head = 0;
  }
}

/** A message without crossings still costs the transaction something. */
function weightOf(ticket: Ticket | undefined): number {
  return Math.max(1, ticket?.message.batch?.crossings.length ?? 0);
}

/** The crossings in the tickets from an index on. */
export function crossingsOf(tickets: readonly Ticket[], from = 0): number {
  let crossings = 0;
  for (let index = from; index < tickets.length; index += 1) {
    crossings += tickets[index]?.message.batch?.crossings.length ?? 0;
  }
  return crossings;
}
