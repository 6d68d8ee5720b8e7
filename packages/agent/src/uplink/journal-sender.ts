import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { Deliverable } from '../journal/volatile-journal.ts';
import type { DeliveryWindow, Prefix, Sent } from './delivery-window.ts';

export interface SenderParts {
  readonly journal: Pick<Deliverable, 'id' | 'read' | 'lostAt' | 'acknowledge'>;
  readonly window: DeliveryWindow;
  readonly crossingsPerMessage: number;
  /** Publishes crossings of the journal; resolves on their PUBACK, and never without one. */
  readonly publish: (batch: readonly NumberedCrossing[]) => Promise<void>;
  /** The journal cannot be read. */
  readonly onError: (error: unknown) => void;
}

/** Sends the journal from the oldest unacknowledged crossing on, with as many messages in flight as the window allows. */
export class JournalSender {
  readonly #parts: SenderParts;
  #sending = false;
  #more = false;
  #stopped = false;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Fills the window. If it is being filled already, the journal is checked once more afterwards. */
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
    const { journal, window, crossingsPerMessage } = this.#parts;
    while (this.#more && !this.#stopped && window.hasRoom) {
      this.#more = false;
      const { next } = window;
      const { id } = journal;
      if (this.#skipLost(next)) continue;
      const batch = await journal.read(next, crossingsPerMessage);
      if (batch.length === 0 || this.#stopped) continue;
      this.#more = true;
      /* During the read the position, the journal, or its lost ranges may have changed. */
      const isNext = next === window.next && id === journal.id;
      if (isNext && !journal.lostAt(next)) this.#send(batch);
    }
    // Without an `await` since the last check of `#more`: a call of `wake` in between would be ignored.
    this.#sending = false;
  }

  /** Skips the range at the next sequence if it is declared lost; returns whether it is. */
  #skipLost(next: number): boolean {
    const lost = this.#parts.journal.lostAt(next);
    if (!lost) return false;
    this.#acknowledge(this.#parts.window.addLost(lost[1]));
    this.#more = true;
    return true;
  }

  #send(batch: readonly NumberedCrossing[]): void {
    const { window, publish } = this.#parts;
    const [first] = batch;
    const last = batch.at(-1);
    if (!first || !last) return;
    const sent: Sent = { first: first.sequence, through: last.sequence, at: last.at };
    window.addSent(sent);
    void publish(batch).then(() => {
      if (this.#stopped) return;
      this.#acknowledge(window.acknowledge(sent));
      this.wake();
    });
  }

  #acknowledge(prefix: Prefix | undefined): void {
    if (prefix) this.#parts.journal.acknowledge(prefix.through, prefix.at);
  }
}
