import { BackOff } from '@visitor-counter/service/back-off';
import type { Logger } from '@visitor-counter/service/logger';
import type { Journal } from '../journal/journal.ts';
import type { Batch } from '../journal/store.ts';
import type { UplinkSettings } from './uplink-settings.ts';

interface DeliveryParts {
  readonly journal: Pick<Journal, 'next' | 'acknowledge'>;
  readonly settings: UplinkSettings;
  /** Publishes crossings over the session; resolves on their PUBACK, and never without one. */
  readonly publish: (batch: Batch) => Promise<void>;
  readonly log: Logger;
}

/**
 * The delivery of the journal over one connection, with one message in flight. The gateway sends a PUBACK only after the
 * crossings are committed, so it frees them.
 */
export class JournalDelivery {
  readonly #parts: DeliveryParts;
  readonly #rereads: BackOff;
  #isRunning = false;
  #isInFlight = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    this.#rereads = new BackOff(parts.settings.backOff);
  }

  start(): void {
    this.#isRunning = true;
    this.wake();
  }

  /** Sends the next crossings, if there are any and no message is in flight. */
  wake(): void {
    if (!this.#isRunning || this.#isInFlight) return;
    const batch = this.#read();
    /* A repair of the journal while it is read wakes the delivery as well. */
    if (!batch || this.#isInFlight) return;
    this.#isInFlight = true;
    void this.#parts.publish(batch).then(() => {
      this.#isInFlight = false;
      this.#parts.journal.acknowledge(batch);
      this.wake();
    });
  }

  /** Sends nothing more. */
  stop(): void {
    this.#isRunning = false;
    clearTimeout(this.#timer);
  }

  #read(): Batch | undefined {
    const { journal, settings, log } = this.#parts;
    clearTimeout(this.#timer);
    try {
      const batch = journal.next(settings.crossingsPerMessage);
      this.#rereads.reset();
      return batch;
    } catch (error) {
      log.error({ err: error }, 'journal unreadable; retrying');
      this.#timer = setTimeout(() => this.wake(), this.#rereads.next()).unref();
      return undefined;
    }
  }
}
