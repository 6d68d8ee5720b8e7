import type { ReadReplica } from '@visitor-counter/database/embedded/find-database';
import { connect, type Database, replicaLag } from '@visitor-counter/database/sql/connect';
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

/** Polling interval for whether the replica can be used (ms). */
const checkInterval = 1_000;

/** Connections in addition to those that read ranges: for the check. */
const moreConnections = 1;

/** How much longer than a statement may take the api waits for its answer (ms). */
const answerDelay = 1_000;

/** The standby of `DATABASE_READ_URL`, which is used while its lag is below the limit. */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly #database: Database;
  readonly #checks: Repetition;
  /** Why it is not used. */
  #reason: string | undefined = 'it has not been checked yet';
  #lag: number | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
    this.#database = connect(options.url, {
      applicationName: 'visitor-counter api',
      maxConnections: options.exports + moreConnections,
      readOnly: true,
      statementTimeout: options.statement,
      queryDeadline: options.statement + answerDelay,
    });
    this.#checks = repeat(
      checkInterval,
      (signal) => this.#check(signal),
      (error) => this.failed(error),
    );
  }

  /** Undefined while it must not be used. */
  get usable(): Database | undefined {
    return this.#reason === undefined ? this.#database : undefined;
  }

  /** How far it is behind the primary (ms); undefined while it is not used. */
  get lag(): number | undefined {
    return this.#lag;
  }

  /** It is not used until the next successful check. */
  failed(error: unknown): void {
    this.#lag = undefined;
    this.#set(reasonOf(error));
  }

  async close(): Promise<void> {
    await this.#checks.close();
    await this.#database.close();
  }

  async #check(signal: AbortSignal): Promise<void> {
    const { primary, maxLag } = this.#options;
    this.#lag = await replicaLag(primary, this.#database, maxLag, signal);
    this.#set(undefined);
  }

  #set(reason: string | undefined): void {
    if (reason === this.#reason) return;
    this.#reason = reason;
    const { log } = this.#options;
    if (reason === undefined) log.write('info', {}, 'replica used for exports and reports');
    else log.write('warn', { reason }, 'replica not used, the primary answers');
  }
}
