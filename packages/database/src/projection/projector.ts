import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { withoutCompiling } from '../sql/connect.ts';
import { progressEvery } from './progress.ts';
import { type Round, runRound } from './run-round.ts';

export interface ProjectorOptions {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Called after every round that applied something; must not throw. */
  readonly onRound?: (round: Round) => void;
  /** The database cannot be read or written; the projector tries again. */
  readonly onProblem: (error: unknown) => void;
}

export interface Projector {
  /** Whether this process has the projector's lock. */
  readonly isActive: boolean;
  /** Whether it has a connection to the database, with the lock or standing by. */
  readonly isConnected: boolean;
  /** Ends after the present round. */
  close(): Promise<void>;
}

/** The key of an advisory lock; nothing else in the same database may use it. */
export const projectorLock = 7_210_311_511;

/** The shortest pause between two rounds (ms). */
const shortestPause = 40;

/** The longest pause (ms): well within `idle_session_timeout`, which would end the connection. */
const longestPause = 2_000;

/** How often the projector looks for quarters whose crossings will be removed (ms). */
const sealInterval = 1_000;

/** How long a process without the lock, or without a database, waits before it tries again (ms). */
const standby = 500;

/**
 * Applies change records in commit order for as long as it is open. Of several processes, the one that has the
 * projector's lock does it; another one takes over when its connection ends. A process that hangs loses its connection.
 */
export function startProjector(options: ProjectorOptions): Projector {
  const closing = new AbortController();
  const { signal } = closing;
  let isActive = false;
  let isConnected = false;
  const project = async () => {
    await using connection = await open(options);
    const { client } = connection;
    isConnected = true;
    while (!signal.aborted && !(await hasLock(client))) await delay(standby, undefined, { signal });
    isActive = true;
    let [isRecorded, recordedAt] = [true, Number.NEGATIVE_INFINITY];
    let sealedAt = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const begin = performance.now();
      const recordsProgress = !isRecorded && begin - recordedAt >= progressEvery;
      const seals = begin - sealedAt >= sealInterval;
      const round = await runRound(client, Date.now(), { recordsProgress, seals });
      if (seals && !round.more) sealedAt = begin;
      if (round.records > 0) options.onRound?.(round);
      if (recordsProgress && !round.more) [isRecorded, recordedAt] = [true, begin];
      else if (round.records > 0) isRecorded = false;
      const pause = pauseAfter(round, performance.now() - begin);
      if (pause > 0) await delay(pause, undefined, { signal });
    }
  };
  const running = (async () => {
    while (!signal.aborted) {
      try {
        await project();
      } catch (error) {
        if (signal.aborted) return;
        options.onProblem(error);
        await delay(standby, undefined, { signal }).catch(() => {});
      } finally {
        isActive = false;
        isConnected = false;
      }
    }
  })();
  return {
    get isActive() {
      return isActive;
    },
    get isConnected() {
      return isConnected;
    },
    close: async () => {
      closing.abort();
      await running;
    },
  };
}

/**
 * How long to wait after a round that took so long (ms). Reading quarters again may take half of the time at most, so that
 * ingest keeps the database.
 */
export function pauseAfter({ read, more }: Pick<Round, 'read' | 'more'>, took: number): number {
  if (read === 0) return more ? 0 : shortestPause;
  return Math.min(Math.max(shortestPause, took), longestPause);
}

async function open({ url, applicationName }: ProjectorOptions) {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    statement_timeout: 60_000,
    idle_in_transaction_session_timeout: 5_000,
  });
  /* A lost connection shows in the next statement; without a listener the event would end the process. */
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(planByKeys);
  } catch (error) {
    client.end().catch(() => {});
    throw error;
  }
  return {
    client,
    /* The server ends the session, and so releases the lock, whether the client waits for that or not. */
    [Symbol.asyncDispose]: async () => void client.end().catch(() => {}),
  };
}

/** Every statement finds rows by their keys, also where statistics are old. A process that hangs must lose the lock. */
const planByKeys = `${withoutCompiling}; set enable_seqscan = off; set enable_hashjoin = off;
  set enable_mergejoin = off; set enable_sort = off; set idle_session_timeout = '5s'`;

async function hasLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ mine: boolean }>(
    `select pg_try_advisory_lock(${projectorLock}) as mine`,
  );
  return rows[0]?.mine === true;
}
