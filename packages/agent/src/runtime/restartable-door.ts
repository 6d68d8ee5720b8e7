import type { Logger } from '@visitor-counter/service/logger';
import type { Door } from './start-door.ts';

/** A door that can be restarted while the others continue. */
export class RestartableDoor {
  /** The running door, or the last one. */
  door: Door;
  readonly #start: (restart: () => void) => Promise<Door>;
  readonly #log: Logger;
  #working: Promise<void> = Promise.resolve();
  #closed = false;

  /** Starts the door. `start` receives the function that restarts it. */
  static async start(start: (restart: () => void) => Promise<Door>, log: Logger): Promise<RestartableDoor> {
    let kept: RestartableDoor | undefined;
    const door = await start(() => kept?.restart());
    kept = new RestartableDoor(door, start, log);
    return kept;
  }

  private constructor(door: Door, start: (restart: () => void) => Promise<Door>, log: Logger) {
    this.door = door;
    this.#start = start;
    this.#log = log;
  }

  /** If it fails, the process ends, and its supervisor starts it again. */
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

  /** Prevents further restarts, and resolves when none is in progress. */
  async #ended(): Promise<void> {
    this.#closed = true;
    await this.#working;
  }
}
