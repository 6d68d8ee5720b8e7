import type { Kysely } from 'kysely';
import type pg from 'pg';
import { JournalIds } from '../crossings/journal-ids.ts';
import { connect, type Database } from '../sql/connect.ts';
import { planByKeys } from '../sql/open-client.ts';
import { preparedOn } from '../sql/query-builder.ts';
import type { DB } from '../sql/schema.ts';
import { storingErrorPolicy } from './storing-error.ts';

/** How long a statement may take before the database counts as hung (ms). The server cancels it, and so releases its locks. */
const statementTimeout = 10_000;

/** The one connection over which a process stores crossings. One caller at a time may use it. */
export class StoringConnection {
  readonly #database: Database;
  /** What belongs to the connection `client`: the next one may lead to a database in which journals have other ids. */
  #open: { client: pg.PoolClient; db: Kysely<DB>; journals: JournalIds } | undefined;
  #inUse: pg.PoolClient | undefined;

  constructor(url: string, applicationName: string) {
    this.#database = connect(url, {
      applicationName,
      maxConnections: 1,
      minConnections: 1,
      statementTimeout,
      queryDeadline: statementTimeout + 1_000,
      settings: `${planByKeys}; set idle_in_transaction_session_timeout = ${statementTimeout}`,
    });
  }

  /** Calls `work` with the connection and its cache of journals, which both end after an error whose policy is `later`. */
  async use<Result>(work: (db: Kysely<DB>, journals: JournalIds) => Promise<Result>): Promise<Result> {
    const client = await this.#database.pool.connect();
    this.#inUse = client;
    let isBroken = false;
    try {
      if (this.#open?.client !== client)
        this.#open = { client, db: preparedOn(client), journals: new JournalIds() };
      const result = await work(this.#open.db, this.#open.journals);
      if (client.getTransactionStatus() !== 'I') throw new Error('the transaction has not ended');
      return result;
    } catch (error) {
      isBroken = storingErrorPolicy(error) === 'later';
      throw error;
    } finally {
      if (this.#inUse === client) client.release(isBroken);
      this.#inUse = undefined;
    }
  }

  /** Closes the connection without waiting for a statement that runs. */
  async close(): Promise<void> {
    const closed = this.#database.close();
    this.#inUse?.release(true);
    this.#inUse = undefined;
    await closed;
  }
}
