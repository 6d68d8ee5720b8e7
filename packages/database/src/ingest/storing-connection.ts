import { Socket } from 'node:net';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import { JournalIds } from '../crossings/journal-ids.ts';
import { installationId } from '../fleet/database-state.ts';
import { requireServable } from '../migrations/schema-state.ts';
import { closeClient, openClient, planByKeys, requirePrimary } from '../sql/open-client.ts';
import { preparedOn } from '../sql/query-builder.ts';
import type { DB } from '../sql/schema.ts';
import { storingErrorPolicy } from './storing-error.ts';

/** How long a statement may take before the database counts as hung (ms). */
const statementDeadline = 10_000;

/** The server cancels what this process no longer waits for, and so releases its locks. */
const limits = `set statement_timeout = ${statementDeadline}; set idle_in_transaction_session_timeout = ${statementDeadline}`;

/**
 * The one connection over which a process stores crossings: opened when it is first needed, and again after it broke.
 * One caller at a time may use it.
 */
export class StoringConnection {
  readonly #url: string;
  readonly #applicationName: string;
  readonly #check: (db: Kysely<DB>) => Promise<void>;
  #open: Opened | undefined;
  #inUse = false;

  /** `check` runs on each new connection, before anything is stored. */
  constructor(
    url: string,
    applicationName: string,
    check: (db: Kysely<DB>) => Promise<void> = async () => {},
  ) {
    this.#url = url;
    this.#applicationName = applicationName;
    this.#check = check;
  }

  /**
   * Calls `work` with the connection and its cache of journals. After an error whose policy is `later` the connection is
   * closed, and the cache is dropped with it. Throws a ConfigurationError if a later release has changed the schema so that
   * programs of this one must not store.
   */
  async use<Result>(work: (db: Kysely<DB>, journals: JournalIds) => Promise<Result>): Promise<Result> {
    this.#inUse = true;
    try {
      this.#open ??= await this.#connect();
      const { client, db, journals } = this.#open;
      const result = await work(db, journals);
      if (client.getTransactionStatus() !== 'I') throw new Error('the transaction has not ended');
      return result;
    } catch (error) {
      if (storingErrorPolicy(error) === 'later') this.close();
      throw error;
    } finally {
      this.#inUse = false;
    }
  }

  /** Closes the connection without waiting for the database; the next use opens a new one. */
  close(): void {
    if (this.#open) closeClient(this.#open.client);
    /* Otherwise the client would first wait for the answers to everything that it has sent. */
    if (this.#inUse) this.#open?.socket.destroy();
    this.#open = undefined;
  }

  async #connect(): Promise<Opened> {
    const socket = new Socket();
    const config = {
      stream: () => socket,
      connectionString: this.#url,
      application_name: this.#applicationName,
      query_timeout: statementDeadline + 1_000,
    };
    const client = await openClient(config, `${requirePrimary}; ${limits}; ${planByKeys}`);
    try {
      await requireServable(client);
      const db = preparedOn(client);
      await this.#check(db);
      return { client, socket, db, journals: new JournalIds() };
    } catch (error) {
      closeClient(client);
      throw error;
    }
  }
}

interface Opened {
  readonly client: pg.Client;
  readonly socket: Socket;
  readonly db: Kysely<DB>;
  readonly journals: JournalIds;
}

/** The database is another one than before: cached devices and sessions are not valid for it. */
export class OtherInstallation extends Error {
  override readonly name = 'OtherInstallation';
  readonly code = 'other-installation';

  constructor() {
    super(
      'DATABASE_URL leads to another database than when this process started: restart the process to use that database',
    );
  }
}

/**
 * Returns a check for new connections, which throws if one leads to another database than the first one. Otherwise,
 * if the address of the database changed, crossings would be stored for devices that have the same id in the other
 * one.
 */
export function oneInstallation(): (db: Kysely<DB>) => Promise<void> {
  let first: string | undefined;
  return async (db) => {
    const id = await installationId(db);
    first ??= id;
    if (id !== first) throw new OtherInstallation();
  };
}
