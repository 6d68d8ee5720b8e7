import type { ReadReplica } from '@visitor-counter/database/embedded/find-database';
import {
  openReplicaSnapshot,
  ReplicaRefused,
  replicaFaults,
} from '@visitor-counter/database/replica/replica-snapshot';
import { connect, type Database } from '@visitor-counter/database/sql/connect';
import type { Snapshot } from '@visitor-counter/database/sql/snapshot';
import type { BoundedLog } from '@visitor-counter/service/bounded-log';
import { reasonOf } from '@visitor-counter/service/errors';
import { type Repetition, repeat } from '@visitor-counter/service/repeat';

interface ReplicaOptions extends ReadReplica {
  readonly primary: Database;
  /** Ranges that are read at a time. */
  readonly exports: number;
  /** Time limit of a statement (ms). */
  readonly statement: number;
  readonly log: BoundedLog;
}

/** Why the replica is not used, and as a text for the operator. */
export const faultTexts = {
  unchecked: 'it has not been checked yet',
  ...replicaFaults,
  failed: 'a read from it has failed within the last minute',
} as const;

type Fault = keyof typeof faultTexts;

/** Polling interval for whether the replica can be used (ms). */
const checkInterval = 1_000;

/** How long the replica is not used after a read from it has failed, so that callers can repeat theirs (ms). */
const pause = 60_000;

/** Connections in addition to those that read ranges: for the check, and for cancelling a statement. */
const moreConnections = 2;

/**
 * The standby of `DATABASE_READ_URL`. Each snapshot is checked when it is taken. A check once a second decides whether
 * that is tried at all, so that requests do not wait for a replica that cannot be used.
 */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly #database: Database;
  readonly #checks: Repetition;
  #fault: Fault | undefined = 'unchecked';
  #pausedUntil = 0;
  #answeredAt = performance.now();
  /** When the last successful check began, and how long the replica then took to catch up (ms). */
  #caughtUp: { readonly at: number; readonly within: number } | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#database = connect(options.url, {
      applicationName: 'visitor-counter api',
      maxConnections: options.exports + moreConnections,
      readOnly: true,
      statementTimeout: options.statement,
    });
    /* All other errors are those of the primary, and say nothing about the replica. */
    this.#checks = repeat(
      checkInterval,
      (signal) => this.#check(signal),
      () => {},
    );
  }

  /** Why it is not used; undefined while it is. */
  get fault(): Fault | undefined {
    return this.#fault;
  }

  /**
   * Its lag behind the primary (s): how long it last took to catch up. While it is behind, the time since it last caught up.
   * Undefined before the first time.
   */
  get lag(): number | undefined {
    if (this.#caughtUp === undefined) return undefined;
    const { at, within } = this.#caughtUp;
    return (this.#isBehind() ? performance.now() - at : within) / 1_000;
  }

  /** A snapshot as `openReplicaSnapshot` promises it; undefined if the primary must answer. */
  async open(signal?: AbortSignal): Promise<Snapshot | undefined> {
    if (this.#fault !== undefined) return undefined;
    try {
      return await this.#snapshot(signal);
    } catch (error) {
      if (!(error instanceof ReplicaRefused)) throw error;
      this.#set(error.fault, error.cause);
      return undefined;
    }
  }

  /** A read from it has failed. */
  failed(error: unknown): void {
    this.#pausedUntil = performance.now() + pause;
    this.#set('failed', error);
  }

  async close(): Promise<void> {
    await this.#checks.close();
    await this.#database.close();
  }

  #snapshot(signal?: AbortSignal): Promise<Snapshot> {
    const { primary, maxLag } = this.#options;
    return openReplicaSnapshot({ primary, replica: this.#database, maxLag }, signal);
  }

  async #check(signal: AbortSignal): Promise<void> {
    const begun = performance.now();
    const { maxLag, statement } = this.#options;
    const late = setTimeout(() => this.#database.interrupt(), maxLag + statement);
    try {
      await using _snapshot = await this.#snapshot(signal);
      const now = performance.now();
      this.#answeredAt = now;
      this.#caughtUp = { at: begun, within: now - begun };
      this.#set(now < this.#pausedUntil ? 'failed' : undefined);
    } catch (error) {
      if (!(error instanceof ReplicaRefused)) throw error;
      this.#set(error.fault, error.cause);
      if (error.fault !== 'unreachable') this.#answeredAt = performance.now();
      else this.#interruptIfDead();
    } finally {
      clearTimeout(late);
    }
  }

  /**
   * A server that has lost its power answers nothing, and reads from it would wait for minutes. A server that runs would
   * have ended every statement by now.
   */
  #interruptIfDead(): void {
    if (performance.now() - this.#answeredAt > this.#options.statement) this.#database.interrupt();
  }

  #isBehind(): boolean {
    return this.#fault !== undefined && this.#fault !== 'failed';
  }

  #set(fault: Fault | undefined, cause?: unknown): void {
    if (fault === this.#fault) return;
    this.#fault = fault;
    const { log } = this.#options;
    const lagMs = this.lag === undefined ? undefined : Math.round(1_000 * this.lag);
    if (fault === undefined) {
      log.write('info', { lagMs }, 'replica used for reports');
    } else {
      const reason = cause === undefined ? faultTexts[fault] : reasonOf(cause);
      log.write('warn', { fault, reason, lagMs }, 'replica not used, the primary answers');
    }
  }
}
