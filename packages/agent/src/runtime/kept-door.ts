import type { Logger } from '@visitor-counter/service/logger';
import type { Door } from './start-door.ts';

/** A door that can be started anew while the others go on. */
export class KeptDoor {
  /** The door as it runs now, or ran last. */
  door: Door;
  readonly #start: (restart: () => void) => Promise<Door>;
  readonly #log: Logger;
  #working: Promise<void> = Promise.resolve();
  #closed = false;

  /** Starts the door; `start` is given what it calls to be started anew. */
  static async start(start: (restart: () => void) => Promise<Door>, log: Logger): Promise<KeptDoor> {
    let kept: KeptDoor | undefined;
    const door = await start(() => kept?.restart());
    kept = new KeptDoor(door, start, log);
    return kept;
  }

  private constructor(door: Door, start: (restart: () => void) => Promise<Door>, log: Logger) {
    this.door = door;
    this.#start = start;
    this.#log = log;
  }

  /** When that fails the process ends: whoever supervises it starts everything anew. */
  restart(): void {
    this.#working = this.#working
      .then(async () => {
        if (this.#closed) return;
        this.#log.info('door restarted');
        await this.door.close();
        this.door = await this.#start(() => this.restart());
      })
      .catch((error: unknown) => {
        this.#log.fatal({ err: error }, 'door restart failed');
        process.exit(1);
      });
  }

  async close(): Promise<void> {
    await this.#ended();
    await this.door.close();
  }

  /** As `Door.release`. */
  async release(): Promise<void> {
    await this.#ended();
    await this.door.release();
  }

  /** Resolves when no restart is in progress, and none begins any more. */
  async #ended(): Promise<void> {
    this.#closed = true;
    await this.#working;
  }
}
