import { codeOf } from '@visitor-counter/service/errors';
import pg from 'pg';
import { JournalIds } from '../crossings/journal-ids.ts';
import { connect, type Database } from '../sql/connect.ts';
import { planByKeys } from '../sql/open-client.ts';
import type { Db } from '../sql/query-builder.ts';
import { isConflict, isDatabaseUnavailable } from '../sql/unavailable.ts';

/**
 * What to do after an error of `storeMessages`.
 * `again`: store again immediately; two writers, or a writer and an operator, changed the same rows.
 * `reject`: one of the messages can never be stored; the others can be stored without it.
 * `later`: the database is unavailable, full, hung, or not as expected; the messages are not the cause.
 */
type StoringErrorPolicy = 'again' | 'reject' | 'later';

export function storingErrorPolicy(error: unknown): StoringErrorPolicy {
  if (isDatabaseUnavailable(error)) return 'later';
  if (error instanceof UnknownDevice) return 'reject';
  if (isConflict(error)) return 'again';
  return unstorable.test(String(codeOf(error))) ? 'reject' : 'later';
}

/** SQLSTATE of five characters: data exceptions, integrity violations, statements beyond a limit. */
const unstorable = /^(22|23|54)...$/;

/** A device is no longer in the database; a retry does not help. */
export class UnknownDevice extends Error {
  override readonly name = 'UnknownDevice';
  readonly code = 'unknown-device';

  constructor(deviceId: number) {
    super(`device ${deviceId} is not in the database`);
  }
}

/** How long a statement may take before the database counts as hung (ms). The server cancels it, and so releases its locks. */
const statementTimeout = 10_000;

/** The one connection over which a process stores crossings. One caller at a time may use it. */
export class StoringConnection {
  readonly #database: Database;
  /** Of this connection: the next one may lead to a database in which journals have other ids. */
  #journals = new JournalIds();
  #client: pg.PoolClient | undefined;

  constructor(url: string, applicationName: string) {
    this.#database = connect(url, {
      applicationName,
      maxConnections: 1,
      minConnections: 1,
      prepared: true,
      statementTimeout,
      queryDeadline: statementTimeout + 1_000,
      settings: `${planByKeys}; set idle_in_transaction_session_timeout = ${statementTimeout}`,
    });
    this.#database.pool.on('connect', (client) => {
      this.#client = client;
      this.#journals = new JournalIds();
    });
  }

  /** Calls `work` with the connection and its cache of journals, which ends after an error whose policy is `later`. */
  async use<Result>(work: (db: Db, journals: JournalIds) => Promise<Result>): Promise<Result> {
    try {
      return await this.#database.kysely.connection().execute((db) => work(db, this.#journals));
    } catch (error) {
      if (storingErrorPolicy(error) === 'later') this.#journals = new JournalIds();
      throw error;
    }
  }

  /** Closes the connection without waiting for a statement that runs. */
  async close(): Promise<void> {
    const closed = this.#database.close();
    if (this.#client instanceof pg.Client) this.#client.end().catch(() => {});
    await closed;
  }
}
