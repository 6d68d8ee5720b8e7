import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { MqttClient } from 'mqtt';
import type { Deliverable } from '../journal/volatile-journal.ts';
import { CommitWatch } from './commit-watch.ts';
import { CommittedWindow } from './committed-window.ts';
import type { DeliveryWindow } from './delivery-window.ts';
import { JournalSender } from './journal-sender.ts';
import { PubackWindow } from './puback-window.ts';
import type { UplinkSettings } from './uplink-settings.ts';

export interface DeliveryParts {
  readonly serial: string;
  readonly journal: Deliverable;
  readonly settings: UplinkSettings;
  /** Publishes crossings; resolves on their PUBACK, and never without one. */
  readonly publish: (journal: string, batch: readonly NumberedCrossing[]) => Promise<void>;
  /** The journal cannot be read. */
  readonly onError: (error: unknown) => void;
}

/** The delivery of one journal over one connection. */
export class JournalDelivery {
  readonly #window: DeliveryWindow;
  readonly #commits: CommitWatch | undefined;
  readonly #sender: JournalSender;
  #isStarted = false;

  constructor(client: MqttClient, { serial, journal, settings, publish, onError }: DeliveryParts) {
    const acknowledged = { through: journal.acknowledged, at: journal.acknowledgedAt };
    if (settings.acknowledgement === 'committed') {
      const window = new CommittedWindow(acknowledged, settings.window);
      const send = () => this.wake();
      this.#commits = new CommitWatch(client, { serial, journal, settings, window, send });
      this.#window = window;
    } else this.#window = new PubackWindow(acknowledged, settings.window);
    this.#sender = new JournalSender({
      ...{ journal, window: this.#window, crossingsPerMessage: settings.crossingsPerMessage, onError },
      publish: (batch) => {
        this.#commits?.messageSent();
        return publish(journal.id, batch);
      },
    });
  }

  /** Subscribes to `committed` if that frees the journal; resolves when the subscription is granted. */
  async subscribe(): Promise<void> {
    await this.#commits?.subscribe();
  }

  /** Starts sending. */
  start(): void {
    this.#isStarted = true;
    this.wake();
  }

  /** There may be something to send. */
  wake(): void {
    if (this.#isStarted) this.#sender.wake();
  }

  /** A new journal has begun. */
  restart(): void {
    this.#window.restart({ through: 0, at: 0 });
  }

  stop(): void {
    this.#commits?.stop();
    this.#sender.stop();
  }
}
