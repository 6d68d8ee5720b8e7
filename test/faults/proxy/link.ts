import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { generate, type Packet, parser } from 'mqtt-packet';

export interface LinkEvents {
  /** Opens the connection to a gateway; the unit's CONNECT says whose it is. */
  open(serial: string): Promise<Socket>;
  /** A message of crossings went by. */
  onCrossings(serial: string, payload: Buffer): void;
}

/** One connection of a unit on its way to a gateway, and what is done to it. */
export class Link {
  serial = '';
  /** Every chunk waits this long (ms). */
  delay = 0;
  /** The gateway's acknowledgements do not arrive. */
  swallowsPubacks = false;
  readonly #near: Socket;
  readonly #events: LinkEvents;
  #far: Socket | undefined;
  #silence: PromiseWithResolvers<void> | undefined;

  constructor(near: Socket, events: LinkEvents) {
    this.#near = near;
    this.#events = events;
    near.on('error', () => {});
    near.on('close', () => this.#far?.destroy());
  }

  /** Carries until the connection ends. */
  async carry(): Promise<void> {
    const packets = parser({ protocolVersion: 4 });
    packets.on('packet', (packet) => this.#seen(packet));
    packets.on('error', () => this.reset());
    try {
      for await (const chunk of this.#near) {
        packets.parse(chunk);
        this.#far ??= await this.#connect();
        await this.#pass(chunk, this.#far);
      }
      this.#far?.end();
    } catch {
      this.reset();
    }
  }

  /** Ends both sides as TCP does when a program closes. */
  cut(): void {
    this.#near.end();
    this.#far?.end();
  }

  /** Ends both sides with RST. */
  reset(): void {
    this.#near.resetAndDestroy();
    this.#far?.resetAndDestroy();
  }

  /** The unit's side is gone; the gateway is not told and keeps its session. */
  leaveHalfOpen(): void {
    this.#far = undefined;
    this.#near.resetAndDestroy();
  }

  /** Nothing gets through any more, and nobody is told. */
  silence(): void {
    this.#silence ??= Promise.withResolvers();
  }

  /** As good as new. */
  heal(): void {
    this.delay = 0;
    this.swallowsPubacks = false;
    this.#silence?.resolve();
    this.#silence = undefined;
  }

  #seen(packet: Packet): void {
    if (packet.cmd === 'connect') this.serial = packet.clientId;
    if (packet.cmd === 'publish' && packet.topic.endsWith('/crossings')) {
      this.#events.onCrossings(this.serial, Buffer.from(packet.payload));
    }
  }

  async #connect(): Promise<Socket> {
    const far = await this.#events.open(this.serial);
    far.on('error', () => {});
    if (this.#near.destroyed) far.destroy();
    void this.#carryBack(far);
    return far;
  }

  /** Towards the unit packet by packet, so that single ones can be left out. */
  async #carryBack(far: Socket): Promise<void> {
    const packets = parser({ protocolVersion: 4 });
    const waiting: Packet[] = [];
    packets.on('packet', (packet) => waiting.push(packet));
    try {
      for await (const chunk of far) {
        packets.parse(chunk);
        const passed = waiting.splice(0).filter(({ cmd }) => cmd !== 'puback' || !this.swallowsPubacks);
        await this.#pass(Buffer.concat(passed.map((packet) => generate(packet))), this.#near);
      }
      this.#near.end();
    } catch {
      this.#near.destroy();
    }
  }

  async #pass(chunk: Buffer, to: Socket): Promise<void> {
    if (this.delay > 0) await delay(this.delay);
    await this.#silence?.promise;
    if (chunk.length === 0 || to.destroyed || to.write(chunk)) return;
    await Promise.race([once(to, 'drain'), once(to, 'close')]);
  }
}
