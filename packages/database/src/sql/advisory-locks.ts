import { setTimeout as delay } from 'node:timers/promises';
import { repeat } from '@visitor-counter/service/repeat';
import { sql } from 'kysely';
import type pg from 'pg';
import { closeClient, openClient, requirePrimary } from './open-client.ts';
import { type Db, preparedOn } from './query-builder.ts';

/** The keys of all advisory locks: nothing else in the same database may use them. */
export const lockKeys = {
  /** Changes of companies, stores, devices and credentials. */
  topology: 7_210_311_505,
  /** The evaluation of alert rules. */
  alerts: 7_210_311_507,
  /** Requests for missing crossings. */
  requests: 7_210_311_508,
  /** Orders to update units. */
  updates: 7_210_311_509,
  projector: 7_210_311_511,
} as const;

/** After this time without a statement (ms), the server ends a transaction for which others wait. */
const mostIdle = 5_000;

/**
 * Makes the server end a transaction that is idle for `idleTimeout` (ms), and so releases its locks: a process that
 * hangs, or an operator who suspends a command, would block all others.
 */
async function limitIdleTime(trx: Db, idleTimeout = mostIdle): Promise<void> {
  await sql`select set_config('idle_in_transaction_session_timeout', ${String(idleTimeout)}, true)`.execute(
    trx,
  );
}

/** Waits for a lock, and takes it until the end of the transaction. */
export async function takeLock(trx: Db, key: number): Promise<void> {
  await limitIdleTime(trx);
  await sql`select pg_advisory_xact_lock(${key})`.execute(trx);
}

/** Takes a lock until the end of the transaction, whose idle time is limited (ms); false if another process has it. */
export async function tryLock(trx: Db, key: number, idleTimeout: number): Promise<boolean> {
  await limitIdleTime(trx, idleTimeout);
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${key}) as mine`.execute(
    trx,
  );
  return rows[0]?.mine === true;
}

/** Takes a lock until the session of `db`, which must be one connection, ends; false if another session has it. */
async function trySessionLock(db: Db, key: number): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_lock(${key}) as mine`.execute(db);
  return rows[0]?.mine === true;
}

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
  readonly work: (db: Db, signal: AbortSignal) => Promise<void>;
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
