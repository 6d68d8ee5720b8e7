import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { Deliverable } from '../journal/volatile-journal.ts';
import type { Delivery } from './delivery.ts';
import type { Prefix, Sent } from './in-flight.ts';

export interface SenderParts {
  readonly journal: Pick<Deliverable, 'id' | 'read' | 'lostAt' | 'acknowledge'>;
  readonly delivery: Delivery;
  readonly crossingsPerMessage: number;
  /** Publishes crossings of the journal; resolves when they have their PUBACK, never when that does not come. */
  readonly publish: (run: readonly NumberedCrossing[]) => Promise<void>;
  /** The journal cannot be read. */
  readonly onError: (error: unknown) => void;
}

/** Sends the journal from the oldest unacknowledged crossing on, with as much in flight as the delivery allows. */
export class JournalSender {
  readonly #parts: SenderParts;
  #sending = false;
  #more = false;
  #stopped = false;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Fills the window. If it is being filled already, it is checked once more afterwards. */
  wake(): void {
    this.#more = true;
    if (this.#sending || this.#stopped) return;
    this.#sending = true;
    this.#fillWindow().catch(this.#parts.onError);
  }

  /** Sends nothing more, and ignores later acknowledgements. */
  stop(): void {
    this.#stopped = true;
  }

  async #fillWindow(): Promise<void> {
    const { journal, delivery, crossingsPerMessage } = this.#parts;
    while (this.#more && !this.#stopped && delivery.hasRoom) {
      this.#more = false;
      const { next } = delivery;
      const { id } = journal;
      if (this.#passLost(next)) continue;
      const run = await journal.read(next, crossingsPerMessage);
      if (run.length === 0 || this.#stopped) continue;
      this.#more = true;
      /* During the read the position, the journal, or its lost ranges may have changed. */
      const isNext = next === delivery.next && id === journal.id;
      if (isNext && !journal.lostAt(next)) this.#send(run);
    }
    // Without an `await` since the last check of `#more`: a call of `wake` in between would be ignored.
    this.#sending = false;
  }

  /** Skips the range at the next sequence if it is declared lost; returns whether it is. */
  #passLost(next: number): boolean {
    const lost = this.#parts.journal.lostAt(next);
    if (!lost) return false;
    this.#free(this.#parts.delivery.lost(lost[1]));
    this.#more = true;
    return true;
  }

  #send(run: readonly NumberedCrossing[]): void {
    const { delivery, publish } = this.#parts;
    const [first] = run;
    const last = run.at(-1);
    if (!first || !last) return;
    const sent: Sent = { first: first.sequence, through: last.sequence, at: last.at };
    delivery.sent(sent);
    void publish(run).then(() => {
      if (this.#stopped) return;
      this.#free(delivery.acknowledged(sent));
      this.wake();
    });
  }

  #free(prefix: Prefix | undefined): void {
    if (prefix) this.#parts.journal.acknowledge(prefix.through, prefix.at);
  }
}
