import { decodeCommitted } from '@visitor-counter/wire/committed-message';
import { topic } from '@visitor-counter/wire/topics';
import type { MqttClient } from 'mqtt';
import type { Deliverable } from '../journal/volatile-journal.ts';
import type { CommittedDelivery } from './committed-delivery.ts';
import type { UplinkSettings } from './uplink-settings.ts';

export interface CommitWatchParts {
  readonly serial: string;
  readonly journal: Deliverable;
  readonly settings: UplinkSettings;
  readonly delivery: CommittedDelivery;
  /** There may be something to send now. */
  readonly send: () => void;
}

/** The pause before crossings are sent again grows up to this many times `commitWithin`. */
const mostPatience = 4;

/** Receives what is committed, frees the journal by it, and has crossings sent again that are not committed in time. */
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

  /** A message is in flight. */
  sent(): void {
    if (this.#timer === undefined) this.#start();
  }

  /** Ends the timer; what is still received frees the journal. */
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
    if (delivery.isPending) this.#start();
    send();
  }

  /** The answer to a heartbeat: where nothing was committed in time, a gateway stores crossings again now. */
  #heardOfOthers(): void {
    if (this.#patience === 1) return;
    this.#patience = 1;
    this.#sendAgain();
  }

  #start(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#patience = Math.min(2 * this.#patience, mostPatience);
      this.#sendAgain();
    }, this.#parts.settings.commitWithin * this.#patience);
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #sendAgain(): void {
    const { journal, delivery, send } = this.#parts;
    this.#stopWaiting();
    delivery.sendAgain({ through: journal.acknowledged, at: journal.acknowledgedAt });
    send();
  }
}
