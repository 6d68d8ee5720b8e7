import type { NumberedCrossing } from '@visitor-counter/domain/crossing';
import { encodeCrossings } from '@visitor-counter/wire/crossings-message';
import { decodeTime } from '@visitor-counter/wire/gateway-messages';
import { encodeHeartbeat, type Heartbeat } from '@visitor-counter/wire/heartbeat-message';
import { type Channel, topic } from '@visitor-counter/wire/topics';
import type { MqttClient } from 'mqtt';
import type { Journal } from '../journal/journal.ts';
import type { Deliverable } from '../journal/volatile-journal.ts';
import { ConnectionLost } from './connect.ts';
import { JournalDelivery } from './journal-delivery.ts';
import { RoundTrips } from './round-trips.ts';
import { type GatewayHandlers, subscribeToGateway } from './subscribe-to-gateway.ts';
import type { UplinkSettings } from './uplink-settings.ts';
import { Watchdog } from './watchdog.ts';

export interface SessionParts {
  readonly serial: string;
  readonly journal: Journal;
  readonly settings: UplinkSettings;
  readonly heartbeat: () => Heartbeat;
  /** Called with the gateway's time (epoch ms) when it answers a heartbeat that was sent `waited` ms ago. */
  readonly onTime: (at: number, waited: number) => void;
  /** The handlers of other messages from the gateway. */
  readonly handlers: GatewayHandlers;
}

/**
 * One accepted connection: sends heartbeats, and delivers the journal from the oldest unacknowledged crossing on and the
 * crossings that are held in memory.
 *
 * Invariant: the journal is acknowledged only for a contiguous prefix of sequences that are declared lost or have
 * error-free PUBACKs of this connection or, with an external broker, are committed according to the gateway. The first
 * error ends the session; the next one starts again from the journal, so that messages in flight are sent twice rather
 * than not at all.
 */
export class Session {
  /** Resolves with the reason when the session is over. */
  readonly over: Promise<Error>;
  readonly #client: MqttClient;
  readonly #parts: SessionParts;
  readonly #durable: JournalDelivery;
  /** Delivers the crossings that are held in memory. */
  readonly #volatile: JournalDelivery;
  readonly #watchdog: Watchdog;
  readonly #stopListening: (() => void)[];
  readonly #heartbeats: NodeJS.Timeout;
  /** Of heartbeats, which the gateway answers with its time. */
  readonly #roundTrips = new RoundTrips();
  #ended = false;
  #started = false;
  #end: (reason: Error) => void = () => {};

  constructor(client: MqttClient, parts: SessionParts) {
    const { journal, settings } = parts;
    this.#client = client;
    this.#parts = parts;
    this.#durable = this.#deliveryOf(journal);
    this.#volatile = this.#deliveryOf(journal.volatile);
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
      journal.changes.durable.add(() => this.#durable.wake()),
      journal.changes.storage.add(() => this.#volatile.wake()),
      journal.changes.lost.add(() => {
        // The gateway must know the lost sequences before an acknowledgement covers them.
        void this.report();
        this.#durable.wake();
      }),
      journal.changes.begun.add(() => this.#durable.restart()),
    ];
    this.#heartbeats = setInterval(() => void this.#sendHeartbeat(), settings.heartbeatEvery);
    if (client.connected) this.#begin();
    else closed();
  }

  /** Sends a heartbeat now, with these fields replaced; resolves with whether it was acknowledged on this connection. */
  async report(replaced: Partial<Heartbeat> = {}): Promise<boolean> {
    if (!this.#started || this.#ended) return false;
    return Promise.race([this.#sendHeartbeat(replaced).then(() => true), this.over.then(() => false)]);
  }

  /** Sends a message once; resolves with whether it was acknowledged on this connection. */
  async send(channel: Channel, payload: string): Promise<boolean> {
    const acknowledged = new Promise<true>((resolve) => this.#publish(channel, payload, () => resolve(true)));
    return Promise.race([acknowledged, this.over.then(() => false)]);
  }

  /** Publishes `offline`, which otherwise the last will would do later, and closes the connection. */
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

  /** Closes the connection without publishing anything. */
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

  /** Subscribes first, to receive the answer to the first heartbeat and every `committed`. */
  #begin(): void {
    const handlers = { ...this.#parts.handlers, time: (payload: Uint8Array) => this.#onTime(payload) };
    const subscribed = subscribeToGateway(this.#client, this.#parts.serial, handlers);
    Promise.all([subscribed, this.#durable.subscribe(), this.#volatile.subscribe()]).then(
      () => {
        if (!this.#ended) this.#start();
      },
      (error: unknown) => this.#end(new ConnectionLost('subscription to committed failed', { cause: error })),
    );
  }

  #start(): void {
    this.#started = true;
    this.#publish('status', 'online', () => {}, true);
    void this.#sendHeartbeat();
    this.#durable.start();
    this.#volatile.start();
  }

  #deliveryOf(journal: Deliverable): JournalDelivery {
    const { serial, settings } = this.#parts;
    return new JournalDelivery(this.#client, {
      ...{ serial, journal, settings },
      publish: (id, batch) => this.#publishBatch(id, batch),
      onError: (error) => this.#end(new ConnectionLost('the journal cannot be read', { cause: error })),
    });
  }

  #onTime(payload: Uint8Array): void {
    const at = decodeTime(payload);
    const waited = at === undefined ? undefined : this.#roundTrips.answerReceived();
    if (at !== undefined && waited !== undefined) this.#parts.onTime(at, waited);
  }

  /** Resolves when the heartbeat is acknowledged, and never if the session ends before. */
  #sendHeartbeat(replaced: Partial<Heartbeat> = {}): Promise<void> {
    this.#roundTrips.requestSent();
    const heartbeat = encodeHeartbeat({ ...this.#parts.heartbeat(), ...replaced });
    return new Promise((resolve) => this.#publish('heartbeat', heartbeat, resolve));
  }

  /** Resolves when the message is acknowledged, and never if the session ends before. */
  #publishBatch(journal: string, batch: readonly NumberedCrossing[]): Promise<void> {
    const message = { journal, first: batch[0]?.sequence ?? 0, crossings: batch };
    return new Promise((resolve) => this.#publish('crossings', encodeCrossings(message), resolve));
  }

  #publish(channel: Channel, payload: string, onPuback: () => void, retain = false): void {
    this.#watchdog.expectAnswer();
    this.#client.publish(topic(this.#parts.serial, channel), payload, { qos: 1, retain }, (error) => {
      if (this.#ended) return;
      if (error) return this.#end(new ConnectionLost(error.message, { cause: error }));
      this.#watchdog.answered();
      onPuback();
    });
  }
}
