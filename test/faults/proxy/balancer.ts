import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listen } from '@visitor-counter/service/listen';
import { Link } from './link.ts';
import type { Tap } from './tap.ts';

/** The proxy between units and gateways: it assigns units to gateways, and faults find connections here. */
export class Balancer {
  readonly #ports: () => readonly number[];
  readonly #tap: Tap;
  readonly #links = new Set<Link>();
  readonly #chosen = new Map<string, number>();
  readonly #server = createServer((near) => this.#serve(near));

  /** `ports`: where the gateways listen. */
  constructor(ports: () => readonly number[], tap: Tap) {
    this.#ports = ports;
    this.#tap = tap;
  }

  /** Starts listening; the port. */
  listen(): Promise<number> {
    return listen(this.#server, { host: '127.0.0.1', port: 0, setting: 'PORT' });
  }

  /** The connections of a unit, or of all units. */
  links(serial?: string): Link[] {
    return [...this.#links].filter((link) => serial === undefined || link.serial === serial);
  }

  /** Assigns the unit to another gateway from its next connection on. */
  sendElsewhere(serial: string): void {
    this.#chosen.set(serial, (this.#chosen.get(serial) ?? 0) + 1);
  }

  /** Ends the faults of all connections. */
  heal(): void {
    for (const link of this.#links) link.heal();
  }

  async close(): Promise<void> {
    this.#server.close();
    for (const link of this.#links) link.reset();
    this.heal();
  }

  #serve(near: Socket): void {
    const link = new Link(near, {
      open: (serial) => this.#open(serial),
      onCrossings: (serial, payload) => this.#tap.note(serial, payload),
    });
    this.#links.add(link);
    near.on('close', () => this.#links.delete(link));
    void link.carry();
  }

  /** Skips a gateway that is down. */
  async #open(serial: string): Promise<Socket> {
    const ports = this.#ports();
    for (let attempt = 1; ; attempt += 1) {
      const port = ports[(this.#chosen.get(serial) ?? 0) % ports.length] ?? 0;
      const far = connect(port, '127.0.0.1');
      try {
        await once(far, 'connect');
        return far;
      } catch (error) {
        this.sendElsewhere(serial);
        if (attempt >= ports.length) throw error;
      }
    }
  }
}
