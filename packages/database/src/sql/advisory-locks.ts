import { type Kysely, sql } from 'kysely';
import type { DB } from './schema.ts';

/** The keys of all advisory locks: nothing else in the same database may use them. */
export const lockKeys = {
  /** Changes of companies, stores, devices and credentials. */
  topology: 7_210_311_505,
  /** The evaluation of alert rules. */
  alerts: 7_210_311_507,
  /** Requests for missing crossings. */
  requests: 7_210_311_508,
  projector: 7_210_311_511,
  remover: 7_210_311_521,
} as const;

/** After this time without a statement (ms), the server ends a transaction for which others wait. */
const mostIdle = 5_000;

/**
 * Makes the server end a transaction that is idle for `idleTimeout` (ms), and so releases its locks: a process that
 * hangs, or an operator who suspends a command, would block all others.
 */
async function limitIdleTime(trx: Kysely<DB>, idleTimeout = mostIdle): Promise<void> {
  await sql`select set_config('idle_in_transaction_session_timeout', ${String(idleTimeout)}, true)`.execute(
    trx,
  );
}

/** Waits for a lock, and takes it until the end of the transaction. */
export async function takeLock(trx: Kysely<DB>, key: number): Promise<void> {
  await limitIdleTime(trx);
  await sql`select pg_advisory_xact_lock(${key})`.execute(trx);
}

/** Takes a lock until the end of the transaction, whose idle time is limited (ms); false if another process has it. */
export async function tryLock(trx: Kysely<DB>, key: number, idleTimeout: number): Promise<boolean> {
  await limitIdleTime(trx, idleTimeout);
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_xact_lock(${key}) as mine`.execute(
    trx,
  );
  return rows[0]?.mine === true;
}

/** Takes a lock until the session of `db`, which must be one connection, ends; false if another session has it. */
export async function trySessionLock(db: Kysely<DB>, key: number): Promise<boolean> {
  const { rows } = await sql<{ mine: boolean }>`select pg_try_advisory_lock(${key}) as mine`.execute(db);
  return rows[0]?.mine === true;
}
