import { OtherInstallation } from '@visitor-counter/database/ingest/one-installation';

/** How long messages may wait while nothing is stored, until an operator should know (ms): a database restarts faster. */
const operatorPatience = 5_000;

/** The same until units and probes should go elsewhere (ms). */
const readyPatience = 1_500;

/** How long after a failure the absence of messages does not count as recovery (ms). */
const memory = 10_000;

/** Whether messages are stored. */
export class StoringProblem {
  readonly #waitingSince: () => number | undefined;
  #other: string | undefined;
  #failing: { readonly since: number; readonly last: number } | undefined;
  #storedAt = Number.NEGATIVE_INFINITY;

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

  /** What an operator should know; undefined when messages are stored, or none are there. */
  current(now = Date.now()): string | undefined {
    return this.#problemAfter(operatorPatience, now);
  }

  /**
   * Why this gateway is not ready, undefined when it is: ready while messages are stored; not ready when they have
   * waited for too long. `probe` is asked where neither is known.
   */
  async readiness(probe: () => Promise<string | undefined>, now = Date.now()): Promise<string | undefined> {
    const problem = this.#problemAfter(readyPatience, now);
    if (problem !== undefined) return problem;
    const storesNow = this.#failing === undefined && now - this.#storedAt <= readyPatience;
    return storesNow ? undefined : await probe();
  }

  #problemAfter(patience: number, now: number): string | undefined {
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
