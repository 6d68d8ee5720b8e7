import type { MessageToStore } from '@visitor-counter/database/ingest/store-messages';
import type { Holder } from '../backpressure/memory-budget.ts';
import type { Outcome } from './ingest-result.ts';

/** A message on its way into the database. */
export interface Ticket {
  readonly message: MessageToStore;
  readonly holder: Holder;
  /** What it holds in memory. */
  readonly bytes: number;
  /** Epoch ms. */
  readonly arrivedAt: number;
  /** When it is its turn, where more waits than fits. */
  turn?: number | undefined;
  /** Told once; undefined after that. */
  settle: ((outcome: Outcome) => void) | undefined;
}

/** The messages that wait for the next transaction: those that have a turn in that order, then the others as they came. */
export class TicketQueue {
  #tickets: Ticket[] = [];
  readonly #turns = new Turns();

  get length(): number {
    return this.#tickets.length;
  }

  /** The crossings in all tickets; takes time in proportion to the length. */
  get crossings(): number {
    return crossingsOf(this.#tickets);
  }

  /** When the oldest ticket arrived (epoch ms). */
  get oldest(): number | undefined {
    return oldestOf(this.#tickets);
  }

  push(ticket: Ticket): void {
    this.#tickets.push(ticket);
  }

  /** Takes tickets in their turns, at most `maxRows` crossings in all but at least one ticket. */
  take(maxRows: number): Ticket[] {
    const waiting = this.#tickets;
    this.#tickets = [];
    if (rowsOf(waiting) <= maxRows) {
      this.#turns.begin(waiting);
      return waiting;
    }
    this.#turns.give(waiting);
    const inTurn = waiting.toSorted((a, b) => (a.turn ?? 0) - (b.turn ?? 0));
    let count = 0;
    for (let rows = 0; count < inTurn.length; count += 1) {
      rows += weightOf(inTurn[count]);
      if (rows > maxRows && count > 0) break;
    }
    const taken = inTurn.slice(0, count);
    this.#tickets = inTurn.slice(count);
    this.#turns.taken(taken);
    return taken;
  }

  /** Gives tickets back that were taken; they are first again. */
  putBack(tickets: readonly Ticket[]): void {
    this.#tickets = [...tickets, ...this.#tickets];
  }

  /** Removes the tickets that arrived before `instant` (epoch ms). */
  removeOlder(instant: number): Ticket[] {
    const isOlder = ({ arrivedAt }: Ticket) => arrivedAt < instant;
    const removed = this.#tickets.filter(isOlder);
    if (removed.length > 0) this.#tickets = this.#tickets.filter((ticket) => !isOlder(ticket));
    return removed;
  }
}

/**
 * Whose turn it is where more waits than one transaction takes, by start-time fair queueing (Goyal, Vin, Cheng: SIGCOMM
 * 1996): crossings of a device take turns with those of the others, so that a backlog does not hold up what the others
 * count now.
 */
class Turns {
  /** The turn that was taken last. */
  #now = 0;
  /** Where the next ticket of a device comes at the earliest. */
  readonly #next = new Map<number, number>();

  /** All that waited is taken: turns begin anew, also for what is given back of it. */
  begin(tickets: readonly Ticket[]): void {
    if (this.#now === 0 && this.#next.size === 0) return;
    this.#now = 0;
    this.#next.clear();
    for (const ticket of tickets) ticket.turn = undefined;
  }

  /** Gives those their turns that have none, in the order of their arrival. */
  give(tickets: readonly Ticket[]): void {
    for (const ticket of tickets) {
      if (ticket.turn !== undefined) continue;
      const { deviceId } = ticket.message;
      ticket.turn = Math.max(this.#now, this.#next.get(deviceId) ?? 0);
      this.#next.set(deviceId, ticket.turn + weightOf(ticket));
    }
  }

  taken(tickets: readonly Ticket[]): void {
    this.#now = tickets.at(-1)?.turn ?? this.#now;
    for (const [deviceId, next] of this.#next) if (next <= this.#now) this.#next.delete(deviceId);
  }
}

function rowsOf(tickets: readonly Ticket[]): number {
  let rows = 0;
  for (const ticket of tickets) rows += weightOf(ticket);
  return rows;
}

/** When the oldest of some tickets arrived (epoch ms); undefined where there is none. */
export function oldestOf(tickets: readonly Ticket[]): number | undefined {
  let oldest: number | undefined;
  for (const { arrivedAt } of tickets) if (oldest === undefined || arrivedAt < oldest) oldest = arrivedAt;
  return oldest;
}

/** A message without crossings still costs the transaction something. */
function weightOf(ticket: Ticket | undefined): number {
  return Math.max(1, ticket?.message.batch?.crossings.length ?? 0);
}

/** The crossings in tickets. */
export function crossingsOf(tickets: readonly Ticket[]): number {
  let crossings = 0;
  for (const { message } of tickets) crossings += message.batch?.crossings.length ?? 0;
  return crossings;
}
