import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { BackOff } from '@visitor-counter/service/back-off';
import type { Logger } from '@visitor-counter/service/logger';
import type { Journal } from '../journal/journal.ts';
import { DeliveryWindow, type Prefix, type Sent } from './delivery-window.ts';
import type { UplinkSettings } from './uplink-settings.ts';

/** The journal on the disk, or the crossings that are held in memory. */
export type Deliverable = Pick<
  Journal,
  'id' | 'acknowledged' | 'acknowledgedAt' | 'read' | 'lostAt' | 'acknowledge'
>;

interface DeliveryParts {
  readonly journal: Deliverable;
  readonly settings: UplinkSettings;
  /** Publishes crossings over the session; resolves on their PUBACK, and never without one. */
  readonly publish: (journal: string, batch: readonly NumberedCrossing[]) => Promise<void>;
  readonly log: Logger;
  /** Called if the next message would skip a sequence; nothing more is sent then. */
  readonly onError: (error: unknown) => void;
}

/**
 * The delivery of one journal over one connection: sends it from the oldest unacknowledged crossing on, with as many
 * messages in flight as the window allows.
 */
export class JournalDelivery {
  readonly #parts: DeliveryParts;
  readonly #window: DeliveryWindow;
  #isRunning = false;
  #isFilling = false;
  /** There may be something to send. */
  #more = false;
  readonly #rereads: BackOff;
  #rereadTimer: NodeJS.Timeout | undefined;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#rereads = new BackOff(parts.settings.backOff);
    const { acknowledged: through, acknowledgedAt: at } = parts.journal;
    this.#window = new DeliveryWindow({ through, at }, parts.settings.window);
  }

  start(): void {
    this.#isRunning = true;
    this.wake();
  }

  /**
   * Sends crossings from the journal, if there are any. If the window is being filled already, the journal is
   * checked again afterwards.
   */
  wake(): void {
    this.#more = true;
    if (this.#isFilling) return;
    this.#isFilling = true;
    this.#fillWindow().catch(this.#parts.onError);
  }

  /** A new journal has begun. */
  restart(): void {
    this.#window.restart({ through: 0, at: 0 });
  }

  /** Sends nothing more. */
  stop(): void {
    this.#isRunning = false;
  }

  async #fillWindow(): Promise<void> {
    const { journal, settings } = this.#parts;
    while (this.#more && this.#isRunning && this.#window.hasRoom) {
      this.#more = false;
      const { next } = this.#window;
      const { id } = journal;
      if (this.#skipLost(next)) continue;
      const batch = await this.#read(next, settings.crossingsPerMessage);
      if (batch.length === 0 || !this.#isRunning) continue;
      this.#more = true;
      /* During the read the position, the journal, or its lost ranges may have changed. */
      const isNext = next === this.#window.next && id === journal.id;
      if (isNext && !journal.lostAt(next)) this.#send(batch);
    }
    /* Without an `await` since the last check of `#more`: a call of `wake` in between would be ignored. */
    this.#isFilling = false;
  }

  /** Crossings from `next` on. Empty if the journal cannot be read: other crossings are delivered meanwhile. */
  async #read(next: number, max: number): Promise<readonly NumberedCrossing[]> {
    try {
      const batch = await this.#parts.journal.read(next, max);
      this.#rereads.reset();
      return batch;
    } catch (error) {
      this.#parts.log.error({ err: error }, 'journal unreadable; retrying');
      clearTimeout(this.#rereadTimer);
      this.#rereadTimer = setTimeout(() => this.wake(), this.#rereads.next()).unref();
      return [];
    }
  }

  /** Skips the range at the next sequence if it is declared lost; returns whether it is. */
  #skipLost(next: number): boolean {
    const lost = this.#parts.journal.lostAt(next);
    if (!lost) return false;
    this.#acknowledge(this.#window.addLost(lost[1]));
    this.#more = true;
    return true;
  }

  #send(batch: readonly NumberedCrossing[]): void {
    const { journal, publish } = this.#parts;
    const [first] = batch;
    const last = batch.at(-1);
    if (!first || !last) return;
    const sent: Sent = { first: first.sequence, through: last.sequence, at: last.at };
    this.#window.addSent(sent);
    void publish(journal.id, batch).then(() => {
      this.#acknowledge(this.#window.acknowledge(sent));
      this.wake();
    });
  }

  #acknowledge(prefix: Prefix | undefined): void {
    if (prefix) this.#parts.journal.acknowledge(prefix.through, prefix.at);
  }
}
