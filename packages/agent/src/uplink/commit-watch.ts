import { decodeCommitted } from '@visitor-counter/wire/gateway-messages';
import { topic } from '@visitor-counter/wire/topics';
import type { MqttClient } from 'mqtt';
import type { Deliverable } from '../journal/volatile-journal.ts';
import type { CommittedWindow } from './committed-window.ts';
import type { UplinkSettings } from './uplink-settings.ts';

export interface CommitWatchParts {
  readonly serial: string;
  readonly journal: Deliverable;
  readonly settings: UplinkSettings;
  readonly window: CommittedWindow;
  /** Called when there may be something to send. */
  readonly send: () => void;
}

/** The longest pause before crossings are sent again, as a multiple of `commitWithin`. */
const longestPause = 4;

/** Receives `committed`, frees the journal up to it, and causes crossings that are not committed in time to be sent again. */
export class CommitWatch {
  readonly #client: MqttClient;
  readonly #parts: CommitWatchParts;
  #timer: NodeJS.Timeout | undefined;
  #pauseFactor = 1;
  #stopped = false;

  constructor(client: MqttClient, parts: CommitWatchParts) {
    this.#client = client;
    this.#parts = parts;
  }

  /** Resolves when the subscription is granted. */
  async subscribe(): Promise<void> {
    const committed = topic(this.#parts.serial, 'committed');
    this.#client.on('message', (from, payload) => {
      if (from === committed) this.#onCommitted(payload);
    });
    const [grant] = await this.#client.subscribeAsync(committed, { qos: 1 });
    if (grant === undefined || grant.qos > 2)
      throw new Error(`the broker refuses the subscription ${committed}`);
  }

  /** Called for each message that is sent. */
  messageSent(): void {
    if (this.#timer === undefined) this.#start();
  }

  /** Ends the timer. A `committed` that is received later still frees the journal. */
  stop(): void {
    this.#stopped = true;
    this.#stopWaiting();
  }

  #onCommitted(payload: Uint8Array): void {
    const { journal, window, send } = this.#parts;
    const message = decodeCommitted(payload);
    if ('malformed' in message || message.journal !== journal.id) return;
    const newest = window.commit(message.through);
    if (newest === undefined) {
      this.#onUnchanged();
      return;
    }
    journal.acknowledge(newest.through, newest.at);
    this.#pauseFactor = 1;
    this.#stopWaiting();
    if (window.isPending) this.#start();
    send();
  }

  /**
   * The gateway also answers a heartbeat with `committed`, so it is available: crossings that were not committed in
   * time are sent again now.
   */
  #onUnchanged(): void {
    if (this.#pauseFactor === 1) return;
    this.#pauseFactor = 1;
    this.#sendAgain();
  }

  #start(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#pauseFactor = Math.min(2 * this.#pauseFactor, longestPause);
      this.#sendAgain();
    }, this.#parts.settings.commitWithin * this.#pauseFactor);
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #sendAgain(): void {
    const { journal, window, send } = this.#parts;
    this.#stopWaiting();
    window.sendAgain({ through: journal.acknowledged, at: journal.acknowledgedAt });
    send();
  }
}
