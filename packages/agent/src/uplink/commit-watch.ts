import { decodeCommitted } from '@visitor-counter/wire/committed-message';
import { topic } from '@visitor-counter/wire/topics';
import type { MqttClient } from 'mqtt';
import type { Journal } from '../journal/journal.ts';
import type { CommittedDelivery } from './committed-delivery.ts';
import type { UplinkSettings } from './uplink-settings.ts';

export interface CommitWatchParts {
  readonly serial: string;
  readonly journal: Journal;
  readonly settings: UplinkSettings;
  readonly delivery: CommittedDelivery;
  /** There may be something to send now. */
  readonly send: () => void;
}

/** The pause before crossings are sent again grows up to this many times `commitWithin`. */
const mostPatience = 4;

/** Hears what is committed, frees the journal by it, and has crossings sent again of which nothing is heard. */
export class CommitWatch {
  readonly #client: MqttClient;
  readonly #parts: CommitWatchParts;
  #timer: NodeJS.Timeout | undefined;
  #patience = 1;
  #stopped = false;

  constructor(client: MqttClient, parts: CommitWatchParts) {
    this.#client = client;
    this.#parts = parts;
  }

  /** Resolves when the subscription is granted. */
  async listen(): Promise<void> {
    const committed = topic(this.#parts.serial, 'committed');
    this.#client.on('message', (from, payload) => {
      if (from === committed) this.#hear(payload);
    });
    const [grant] = await this.#client.subscribeAsync(committed, { qos: 1 });
    if (grant === undefined || grant.qos > 2)
      throw new Error(`the broker refuses the subscription ${committed}`);
  }

  /** A message is on its way. */
  sent(): void {
    if (this.#timer === undefined) this.#start();
  }

  /** Waits for nothing more; what is still heard frees the journal. */
  stop(): void {
    this.#stopped = true;
    this.#stopWaiting();
  }

  #hear(payload: Uint8Array): void {
    const { journal, delivery, send } = this.#parts;
    const message = decodeCommitted(payload);
    if ('malformed' in message || message.journal !== journal.id) return;
    const newest = delivery.committed(message.through);
    if (newest === undefined) {
      this.#heardOfOthers();
      return;
    }
    journal.acknowledge(newest.through, newest.at);
    this.#patience = 1;
    this.#stopWaiting();
    if (delivery.waits) this.#start();
    send();
  }

  /** The answer to a heartbeat: where crossings were waited for in vain, somebody stores them again now. */
  #heardOfOthers(): void {
    if (this.#patience === 1) return;
    this.#patience = 1;
    this.#beginAnew();
  }

  #start(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#patience = Math.min(2 * this.#patience, mostPatience);
      this.#beginAnew();
    }, this.#parts.settings.commitWithin * this.#patience);
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #beginAnew(): void {
    const { journal, delivery, send } = this.#parts;
    this.#stopWaiting();
    delivery.beginAnew(journal.acknowledged);
    send();
  }
}
