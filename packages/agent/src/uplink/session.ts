import { encodeCrossings } from '@visitor-counter/wire/crossings-message';
import { encodeHeartbeat } from '@visitor-counter/wire/heartbeat-message';
import { decodeTime } from '@visitor-counter/wire/time-message';
import { type Channel, topic } from '@visitor-counter/wire/topics';
import type { MqttClient } from 'mqtt';
import type { JournaledCrossing } from '../journal/record-codec.ts';
import { AwaitedAnswers } from './awaited-answers.ts';
import { CommitWatch } from './commit-watch.ts';
import { CommittedDelivery } from './committed-delivery.ts';
import { ConnectionLost } from './connect.ts';
import type { Delivery } from './delivery.ts';
import { hearGateway } from './gateway-words.ts';
import type { Sent } from './in-flight.ts';
import { PubackDelivery } from './puback-delivery.ts';
import type { SessionParts } from './session-parts.ts';
import { Watchdog } from './watchdog.ts';

/**
 * One accepted connection: reports, and delivers the journal from the oldest unacknowledged crossing on.
 *
 * Invariant: the journal hears of an acknowledgement only for a contiguous prefix of error-free PUBACKs of
 * this connection, or, where PUBACKs come from another broker, of what the gateway says is committed. The first
 * error ends the session; the next one starts again from the journal, so what was on its way is sent twice
 * rather than not at all.
 */
export class Session {
  /** Resolves with the reason when the session is over. */
  readonly over: Promise<Error>;
  readonly #client: MqttClient;
  readonly #parts: SessionParts;
  readonly #delivery: Delivery;
  readonly #commits: CommitWatch | undefined;
  readonly #watchdog: Watchdog;
  readonly #stopListening: (() => void)[];
  readonly #heartbeats: NodeJS.Timeout;
  /** To heartbeats. */
  readonly #answers = new AwaitedAnswers();
  #sending = false;
  #more = false;
  #ended = false;
  #greeted = false;
  #end: (reason: Error) => void = () => {};

  constructor(client: MqttClient, parts: SessionParts) {
    const { journal, settings } = parts;
    this.#client = client;
    this.#parts = parts;
    if (settings.acknowledgement === 'committed') {
      const delivery = new CommittedDelivery(journal.acknowledged, settings.window);
      const send = () => this.#send();
      this.#delivery = delivery;
      this.#commits = new CommitWatch(client, { serial: parts.serial, journal, settings, delivery, send });
    } else {
      this.#delivery = new PubackDelivery(journal.acknowledged, settings.window);
    }
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
      journal.onDurable(() => this.#send()),
      journal.onBegun(() => this.#delivery.restart(journal.acknowledged)),
    ];
    this.#heartbeats = setInterval(() => void this.#beat(), settings.heartbeatEvery);
    if (client.connected) this.#begin();
    else closed();
  }

  /** Sends a heartbeat now; resolves when it was taken, or the session is over. */
  async report(): Promise<void> {
    if (this.#greeted && !this.#ended) await Promise.race([this.#beat(), this.over]);
  }

  /** Sends acknowledged crossings again; resolves with whether this connection has acknowledged them. */
  async sendAgain(journal: string, crossings: readonly JournaledCrossing[]): Promise<boolean> {
    const message = { journal, first: crossings[0]?.sequence ?? 0, crossings };
    const acknowledged = new Promise<true>((resolve) =>
      this.#publish('crossings', encodeCrossings(message), () => resolve(true)),
    );
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
  abandon(): void {
    this.#end(new ConnectionLost('given up'));
  }

  #release(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearInterval(this.#heartbeats);
    this.#watchdog.stop();
    this.#commits?.stop();
    for (const stop of this.#stopListening) stop();
  }

  /** Listens first: the answer to the first heartbeat, and what is committed before, would go unheard. */
  #begin(): void {
    const hearers = { ...this.#parts.hearers, time: (payload: Uint8Array) => this.#hearTime(payload) };
    Promise.all([hearGateway(this.#client, this.#parts.serial, hearers), this.#commits?.listen()]).then(
      () => {
        if (!this.#ended) this.#greet();
      },
      (error: unknown) => this.#end(new ConnectionLost('not heard what is committed', { cause: error })),
    );
  }

  #greet(): void {
    this.#greeted = true;
    this.#publish('status', 'online', () => {}, true);
    void this.#beat();
    this.#send();
  }

  #hearTime(payload: Uint8Array): void {
    const at = decodeTime(payload);
    const waited = at === undefined ? undefined : this.#answers.heard();
    if (at !== undefined && waited !== undefined) this.#parts.onTime(at, waited);
  }

  /** Resolves when it was taken; never, when the session is over before. */
  #beat(): Promise<void> {
    this.#answers.sent();
    const heartbeat = encodeHeartbeat(this.#parts.heartbeat());
    return new Promise((resolve) => this.#publish('heartbeat', heartbeat, resolve));
  }

  /** Fills the window; whatever calls for it meanwhile makes it look once more. */
  #send(): void {
    this.#more = true;
    if (this.#sending || !this.#greeted) return;
    this.#sending = true;
    this.#fillWindow().catch((error: unknown) =>
      this.#end(new ConnectionLost('the journal cannot be read', { cause: error })),
    );
  }

  async #fillWindow(): Promise<void> {
    const { journal, settings } = this.#parts;
    while (this.#more && !this.#ended && this.#delivery.hasRoom) {
      this.#more = false;
      const { next } = this.#delivery;
      const { id } = journal;
      const run = await journal.read(next, settings.crossingsPerMessage);
      if (run.length === 0 || this.#ended) continue;
      this.#more = true;
      /* Where to read on may have changed meanwhile, and the journal. */
      if (next === this.#delivery.next && id === journal.id) this.#sendRun(run);
    }
    // In the same step as the last look at `#more`: a call in between would find nobody looking again.
    this.#sending = false;
  }

  #sendRun(run: readonly JournaledCrossing[]): void {
    const [first] = run;
    const last = run.at(-1);
    if (!first || !last) return;
    const sent: Sent = { through: last.sequence, at: last.at };
    this.#delivery.sent(sent);
    this.#commits?.sent();
    const message = { journal: this.#parts.journal.id, first: first.sequence, crossings: run };
    this.#publish('crossings', encodeCrossings(message), () => this.#acknowledged(sent));
  }

  #acknowledged(sent: Sent): void {
    const prefix = this.#delivery.acknowledged(sent);
    if (prefix) this.#parts.journal.acknowledge(prefix.through, prefix.at);
    this.#send();
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
