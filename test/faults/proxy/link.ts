import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { generate, type Packet, parser } from 'mqtt-packet';

export interface LinkEvents {
  /** Opens the connection to a gateway for the unit in the CONNECT packet. */
  open(serial: string): Promise<Socket>;
  /** A message of crossings went by. */
  onCrossings(serial: string, payload: Buffer): void;
}

/** One connection of a unit to a gateway, and its faults. */
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

  /** Forwards until the connection ends. */
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

  /** The unit disappears; the gateway does not notice and its session remains. */
  leaveHalfOpen(): void {
    this.#far = undefined;
    this.#near.resetAndDestroy();
  }

  /** Stops forwarding without ending the connection. */
  silence(): void {
    this.#silence ??= Promise.withResolvers();
  }

  /** Ends all faults. */
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

  /** Forwards single packets to the unit, so that some can be dropped. */
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
