import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { encodeCrossings } from '@visitor-counter/wire/crossings-message';
import { encodeHeartbeat, type Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import { decodeTime } from '@visitor-counter/wire/time-message';
import { type Channel, topic } from '@visitor-counter/wire/topics';
import type { MqttClient } from 'mqtt';
import type { Deliverable } from '../journal/volatile-journal.ts';
import { AwaitedAnswers } from './awaited-answers.ts';
import { ConnectionLost } from './connect.ts';
import { hearGateway } from './gateway-words.ts';
import { JournalLane } from './journal-lane.ts';
import type { SessionParts } from './session-parts.ts';
import { Watchdog } from './watchdog.ts';

/**
 * One accepted connection: reports, and delivers the journal from the oldest unacknowledged crossing on, and what is
 * held in memory.
 *
 * Invariant: the journal is acknowledged only for a contiguous prefix of sequences that are declared lost, or have
 * error-free PUBACKs of this connection; with an external broker, that the gateway says are committed. The first
 * error ends the session; the next one starts again from the journal, so what was in flight is sent twice
 * rather than not at all.
 */
export class Session {
  /** Resolves with the reason when the session is over. */
  readonly over: Promise<Error>;
  readonly #client: MqttClient;
  readonly #parts: SessionParts;
  readonly #durable: JournalLane;
  /** Delivers what is held in memory. */
  readonly #volatile: JournalLane;
  readonly #watchdog: Watchdog;
  readonly #stopListening: (() => void)[];
  readonly #heartbeats: NodeJS.Timeout;
  /** To heartbeats. */
  readonly #answers = new AwaitedAnswers();
  #ended = false;
  #greeted = false;
  #end: (reason: Error) => void = () => {};

  constructor(client: MqttClient, parts: SessionParts) {
    const { journal, settings } = parts;
    this.#client = client;
    this.#parts = parts;
    this.#durable = this.#openLane(journal);
    this.#volatile = this.#openLane(journal.volatile);
    this.over = new Promise((resolve) => {
      this.#end = (reason) => {
        this.#release();
        resolve(reason);
      };
    });
    const closed = () => this.#end(new ConnectionLost('the connection was closed'));
    client.on('close', closed);
    client.on('error', (error) => this.#end(new ConnectionLost(error.message, { cause: error })));
    this.#watchdog = new Watchdog(settings.progressWithin, () =>
      this.#end(new ConnectionLost(`no acknowledgement for ${settings.progressWithin} ms`)),
    );
    this.#stopListening = [
      journal.onDurable(() => this.#durable.wake()),
      journal.volatile.onPending(() => this.#volatile.wake()),
      journal.onLost(() => {
        // The gateway must know the lost sequences before an acknowledgement covers them.
        void this.report();
        this.#durable.wake();
      }),
      journal.onBegun(() => this.#durable.restart()),
    ];
    this.#heartbeats = setInterval(() => void this.#beat(), settings.heartbeatEvery);
    if (client.connected) this.#begin();
    else closed();
  }

  /** Sends a heartbeat now, with these fields replaced; resolves with whether this connection has acknowledged it. */
  async report(replaced: Partial<Heartbeat> = {}): Promise<boolean> {
    if (!this.#greeted || this.#ended) return false;
    return Promise.race([this.#beat(replaced).then(() => true), this.over.then(() => false)]);
  }

  /** Sends a message once; resolves with whether this connection has acknowledged it. */
  async send(channel: Channel, payload: string): Promise<boolean> {
    const acknowledged = new Promise<true>((resolve) => this.#publish(channel, payload, () => resolve(true)));
    return Promise.race([acknowledged, this.over.then(() => false)]);
  }

  /** Says goodbye: publishes `offline`, which the last will would say later, and closes. */
  async leave(): Promise<void> {
    if (this.#ended) return;
    await new Promise<void>((resolve) => {
      this.#publish('status', 'offline', resolve, true);
      void this.over.then(() => resolve());
    });
    if (this.#ended) return;
    this.#release();
    await new Promise<void>((resolve) => this.#client.end(false, {}, () => resolve()));
  }

  /** Ends at once, without a word. */
  abandon(reason = 'given up'): void {
    this.#end(new ConnectionLost(reason));
  }

  #release(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#heartbeats);
    this.#watchdog.stop();
    this.#durable.stop();
    this.#volatile.stop();
    for (const stop of this.#stopListening) stop();
  }

  /** Listens first: the answer to the first heartbeat, and what is committed before, would go unheard. */
  #begin(): void {
    const hearers = { ...this.#parts.hearers, time: (payload: Uint8Array) => this.#hearTime(payload) };
    const heard = hearGateway(this.#client, this.#parts.serial, hearers);
    Promise.all([heard, this.#durable.listen(), this.#volatile.listen()]).then(
      () => {
        if (!this.#ended) this.#greet();
      },
      (error: unknown) => this.#end(new ConnectionLost('subscription to committed failed', { cause: error })),
    );
  }

  #greet(): void {
    this.#greeted = true;
    this.#publish('status', 'online', () => {}, true);
    void this.#beat();
    this.#durable.open();
    this.#volatile.open();
  }

  #openLane(journal: Deliverable): JournalLane {
    const { serial, settings } = this.#parts;
    return new JournalLane(this.#client, {
      ...{ serial, journal, settings },
      publish: (id, run) => this.#publishRun(id, run),
      onError: (error) => this.#end(new ConnectionLost('the journal cannot be read', { cause: error })),
    });
  }

  #hearTime(payload: Uint8Array): void {
    const at = decodeTime(payload);
    const waited = at === undefined ? undefined : this.#answers.heard();
    if (at !== undefined && waited !== undefined) this.#parts.onTime(at, waited);
  }

  /** Resolves when it was taken; never, when the session is over before. */
  #beat(replaced: Partial<Heartbeat> = {}): Promise<void> {
    this.#answers.sent();
    const heartbeat = encodeHeartbeat({ ...this.#parts.heartbeat(), ...replaced });
    return new Promise((resolve) => this.#publish('heartbeat', heartbeat, resolve));
  }

  /** Resolves when the message is acknowledged; never, when the session is over before. */
  #publishRun(journal: string, run: readonly NumberedCrossing[]): Promise<void> {
    const message = { journal, first: run[0]?.sequence ?? 0, crossings: run };
    return new Promise((resolve) => this.#publish('crossings', encodeCrossings(message), resolve));
  }

  #publish(channel: Channel, payload: string, onPuback: () => void, retain = false): void {
    this.#watchdog.owed();
    this.#client.publish(topic(this.#parts.serial, channel), payload, { qos: 1, retain }, (error) => {
      if (this.#ended) return;
      if (error) return this.#end(new ConnectionLost(error.message, { cause: error }));
      this.#watchdog.paid();
      onPuback();
    });
  }
}
