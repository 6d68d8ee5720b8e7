import type { Kysely } from 'kysely';
import pg from 'pg';
import { JournalIds } from '../crossings/journal-ids.ts';
import { connect, type Database } from '../sql/connect.ts';
import { planByKeys } from '../sql/open-client.ts';
import type { DB } from '../sql/schema.ts';
import { storingErrorPolicy } from './storing-error.ts';

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
  async use<Result>(work: (db: Kysely<DB>, journals: JournalIds) => Promise<Result>): Promise<Result> {
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
