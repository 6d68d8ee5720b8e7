import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import type { MqttClient } from 'mqtt';
import type { Deliverable } from '../journal/volatile-journal.ts';
import { CommitWatch } from './commit-watch.ts';
import { CommittedDelivery } from './committed-delivery.ts';
import type { Delivery } from './delivery.ts';
import { JournalSender } from './journal-sender.ts';
import { PubackDelivery } from './puback-delivery.ts';
import type { UplinkSettings } from './uplink-settings.ts';

export interface LaneParts {
  readonly serial: string;
  readonly journal: Deliverable;
  readonly settings: UplinkSettings;
  /** Publishes crossings; resolves when they have their PUBACK, never when that does not come. */
  readonly publish: (journal: string, run: readonly NumberedCrossing[]) => Promise<void>;
  /** The journal cannot be read. */
  readonly onError: (error: unknown) => void;
}

/** The delivery of one journal over one connection: what was sent, what is acknowledged, what comes next. */
export class JournalLane {
  readonly #delivery: Delivery;
  readonly #commits: CommitWatch | undefined;
  readonly #sender: JournalSender;
  #isOpen = false;

  constructor(client: MqttClient, { serial, journal, settings, publish, onError }: LaneParts) {
    const acknowledged = { through: journal.acknowledged, at: journal.acknowledgedAt };
    if (settings.acknowledgement === 'committed') {
      const delivery = new CommittedDelivery(acknowledged, settings.window);
      const send = () => this.wake();
      this.#commits = new CommitWatch(client, { serial, journal, settings, delivery, send });
      this.#delivery = delivery;
    } else this.#delivery = new PubackDelivery(acknowledged, settings.window);
    this.#sender = new JournalSender({
      ...{ journal, delivery: this.#delivery, crossingsPerMessage: settings.crossingsPerMessage, onError },
      publish: (run) => {
        this.#commits?.sent();
        return publish(journal.id, run);
      },
    });
  }

  /** Subscribes to what is committed, where that acknowledges; resolves when the subscription is granted. */
  async listen(): Promise<void> {
    await this.#commits?.listen();
  }

  /** Begins to send. */
  open(): void {
    this.#isOpen = true;
    this.wake();
  }

  /** There may be something to send. */
  wake(): void {
    if (this.#isOpen) this.#sender.wake();
  }

  /** A new journal has begun. */
  restart(): void {
    this.#delivery.restart({ through: 0, at: 0 });
  }

  stop(): void {
    this.#commits?.stop();
    this.#sender.stop();
  }
}
