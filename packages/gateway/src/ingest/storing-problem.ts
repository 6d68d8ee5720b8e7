import { OtherInstallation } from '@visitor-counter/database/ingest/one-installation';

/** How long nothing may be stored until that counts as a problem (ms): a database that restarts takes less. */
const patience = 5_000;

/** For how long after a failure nothing is told to be well only because nothing comes (ms). */
const memory = 10_000;

/** Whether messages are stored, for those who decide where units go. */
export class StoringProblem {
  readonly #waitingSince: () => number | undefined;
  #other: string | undefined;
  #failing: { readonly since: number; readonly last: number } | undefined;
  #storedAt = 0;

  /** `waitingSince` gives when the oldest message came that is not stored (epoch ms). */
  constructor(waitingSince: () => number | undefined) {
    this.#waitingSince = waitingSince;
  }

  failed(error: unknown, now = Date.now()): void {
    this.#other = error instanceof OtherInstallation ? error.message : undefined;
    this.#failing = { since: this.#failing?.since ?? now, last: now };
  }

  stored(now = Date.now()): void {
    this.#other = undefined;
    this.#failing = undefined;
    this.#storedAt = now;
  }

  /** Undefined when all is well, else what to tell the operator. */
  current(now = Date.now()): string | undefined {
    if (this.#other !== undefined) return this.#other;
    const waiting = this.#waitingSince();
    const { since = now, last = now - memory } = this.#failing ?? {};
    if (waiting === undefined && now - last >= memory) return undefined;
    /* A statement that waits for a lock has not failed. */
    const begun = Math.min(since, Math.max(waiting ?? now, this.#storedAt));
    if (now - begun <= patience) return undefined;
    return `nothing has been stored for ${Math.round((now - begun) / 1_000)} s`;
  }
}
