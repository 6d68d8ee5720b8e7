import { setTimeout as delay } from 'node:timers/promises';
import { repeat } from '@visitor-counter/service/repeat';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import { trySessionLock } from './advisory-locks.ts';
import { closeClient, openClient, requirePrimary } from './open-client.ts';
import { preparedOn } from './query-builder.ts';
import type { DB } from './schema.ts';

/** Where a process does its work, and what it reports. */
export interface WorkerOptions {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** The database cannot be read or written; the process tries again. */
  readonly onProblem: (error: unknown) => void;
}

/** Work that one process at a time does, over a connection of its own. */
interface SoleWork {
  /** One of `lockKeys`. */
  readonly lock: number;
  /** Settings of the connection: SQL. */
  readonly settings: string;
  /** How long a process without the lock, or without a database, waits before it tries again (ms). */
  readonly standby: number;
  /** Ends when `signal` is aborted. */
  readonly work: (db: Kysely<DB>, signal: AbortSignal) => Promise<void>;
}

export interface SoleWorker {
  /** Whether it has a connection to the database, with the lock or standing by. */
  readonly isConnected: boolean;
  /** Aborts the signal and waits for the work to end. */
  close(): Promise<void>;
}

/**
 * Works for as long as it is open, if this process has the lock. Another process takes over when the connection of the
 * one that works ends.
 */
export function startSoleWorker(
  { url, applicationName, onProblem }: WorkerOptions,
  { lock, settings, standby, work }: SoleWork,
): SoleWorker {
  let isConnected = false;
  const connectAndWork = async (signal: AbortSignal) => {
    let client: pg.Client | undefined;
    try {
      const config = { connectionString: url, application_name: applicationName };
      client = await openClient(config, `${requirePrimary}; ${limits}; ${settings}`);
      isConnected = true;
      const db = preparedOn(client);
      while (!(await trySessionLock(db, lock))) await delay(standby, undefined, { signal });
      await work(db, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      isConnected = false;
      if (client) closeClient(client);
    }
  };
  const { close } = repeat(standby, connectAndWork, onProblem);
  return {
    get isConnected() {
      return isConnected;
    },
    close,
  };
}

/** ms. Not startup parameters: poolers refuse them. */
const limits = 'set statement_timeout = 60000; set idle_in_transaction_session_timeout = 5000';
