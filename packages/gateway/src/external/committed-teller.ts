import type { Database } from '@visitor-counter/database/connect';
import { advanceProgress, type SettledRange } from '@visitor-counter/database/ingest/advance-progress';
import type { DeviceLimits } from '@visitor-counter/database/ingest/device-limits';

/** Sequences of a unit that need not be sent again. */
export interface Settled extends SettledRange {
  readonly serial: string;
}

export interface CommittedTellerOptions {
  readonly pool: Database['pool'];
  /** How many journals a device may have. */
  readonly limits?: DeviceLimits;
  /** Tells a unit that everything of a journal up to `through` is durable. */
  readonly tell: (serial: string, journal: string, through: number) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** The most ranges that wait; what is beyond is left out, and told when the unit sends it again. */
const limit = 20_000;

/**
 * Tells units how far their journals are durable. What becomes settled while one round is under way is the
 * next round, so that a unit hears once, however many of its messages were stored meanwhile.
 *
 * Whatever gets lost here is made good by the unit, which sends again what it does not hear of.
 */
export class CommittedTeller {
  readonly #options: CommittedTellerOptions;
  #waiting: Settled[] = [];
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(options: CommittedTellerOptions) {
    this.#options = options;
  }

  note(settled: Settled): void {
    if (this.#closed || this.#waiting.length >= limit) return;
    this.#waiting.push(settled);
    this.#running ??= this.#run();
  }

  /** Ends after the round under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const ranges = this.#waiting;
      this.#waiting = [];
      await this.#round(ranges).catch(this.#options.onError);
    }
    this.#running = undefined;
  }

  async #round(ranges: readonly Settled[]): Promise<void> {
    const { pool, limits, tell } = this.#options;
    const serials = new Map(ranges.map(({ deviceId, serial }) => [deviceId, serial]));
    const progress = await advanceProgress(pool, ranges, limits);
    const told = progress.map(({ deviceId, journal, through, more }) => {
      const serial = serials.get(deviceId) ?? '';
      if (more) this.note({ deviceId, serial, journal, first: 1, last: 0 });
      return tell(serial, journal, through);
    });
    for (const result of await Promise.allSettled(told)) {
      if (result.status === 'rejected') throw result.reason;
    }
  }
}
