import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { withoutCompiling } from '../sql/connect.ts';
import { type BegunPass, beginPasses } from './begin-passes.ts';
import { finishPass, firstToRemove, type OpenPass, openPasses, removeBatch } from './remove-batch.ts';

export interface RemoverOptions {
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** The present time (epoch ms). */
  readonly now?: () => number;
  /** Must not throw, like the next ones. */
  readonly onBegun?: (pass: BegunPass) => void;
  /** Called after every batch, with the number of crossings that it removed. */
  readonly onRemoved?: (pass: OpenPass, removed: number) => void;
  readonly onFinished?: (pass: OpenPass, removed: number) => void;
  /** The database cannot be read or written; the remover tries again. */
  readonly onProblem: (error: unknown) => void;
}

export interface Remover {
  /** Ends after the present batch. */
  close(): Promise<void>;
}

/** The key of an advisory lock; nothing else in the same database may use it. */
const removerLock = 7_210_311_521;

/** How often settings are read (ms). */
const interval = 2_000;

/** Crossings in a batch: few, so that no batch delays a writer noticeably. */
const limit = 1_000;

/** After a batch the remover waits this many times as long as the batch took, so that ingest keeps the database. */
const restPerWork = 9;
const shortestRest = 10;

/** How much time a slice covers at first, and at most (ms). */
const firstSpan = 60 * 60_000;
const longestSpan = 30 * 24 * 60 * 60_000;

/**
 * Removes the crossings of companies with a retention for as long as it is open, in small batches, oldest first, with
 * pauses. Of several processes, the one that has the lock does it. It continues where a process before it ended.
 */
export function startRemover(options: RemoverOptions): Remover {
  const closing = new AbortController();
  const { signal } = closing;
  const running = (async () => {
    while (!signal.aborted) {
      try {
        await work(options, signal);
      } catch (error) {
        if (signal.aborted) return;
        options.onProblem(error);
        await delay(interval, undefined, { signal }).catch(() => {});
      }
    }
  })();
  return {
    close: async () => {
      closing.abort();
      await running;
    },
  };
}

async function work(options: RemoverOptions, signal: AbortSignal): Promise<void> {
  await using connection = await open(options);
  const { client } = connection;
  while (!signal.aborted && !(await hasLock(client))) await delay(interval, undefined, { signal });
  while (!signal.aborted) {
    await removeDue(client, options, signal);
    await delay(interval, undefined, { signal });
  }
}

/** Begins the passes that are due, and works on all that are open, as far as the projection allows. */
export async function removeDue(
  client: pg.ClientBase,
  options: Omit<RemoverOptions, 'url' | 'applicationName' | 'onProblem'>,
  signal: AbortSignal,
): Promise<void> {
  const { now = Date.now, onBegun, onFinished } = options;
  for (const begun of await beginPasses(client, now())) onBegun?.(begun);
  for (const pass of await openPasses(client)) {
    const removed = await removeAll(client, pass, options, signal);
    if (signal.aborted) return;
    if (pass.until < pass.before) continue;
    await finishPass(client, pass);
    onFinished?.(pass, pass.removed + removed);
  }
}

async function removeAll(
  client: pg.ClientBase,
  pass: OpenPass,
  { onRemoved }: Pick<RemoverOptions, 'onRemoved'>,
  signal: AbortSignal,
): Promise<number> {
  const { companyId } = pass;
  let total = 0;
  let span = firstSpan;
  let from = await firstToRemove(client, pass);
  while (from !== undefined && from < pass.until && !signal.aborted) {
    const begin = performance.now();
    const until = Math.min(from + span, pass.until);
    const removed = await removeBatch(client, { companyId, from, until, limit });
    total += removed;
    onRemoved?.(pass, removed);
    if (removed === limit) {
      span = Math.max(1_000, span / 2);
    } else {
      from = removed === 0 ? await firstToRemove(client, { ...pass, from: until }) : until;
      if (removed < limit / 2) span = Math.min(2 * span, longestSpan);
    }
    const rest = Math.max(shortestRest, restPerWork * (performance.now() - begin));
    await delay(rest, undefined, { signal }).catch(() => {});
  }
  return total;
}

async function open({ url, applicationName }: RemoverOptions) {
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
    await client.query(settings);
  } catch (error) {
    client.end().catch(() => {});
    throw error;
  }
  return { client, [Symbol.asyncDispose]: async () => void client.end().catch(() => {}) };
}

/** A batch whose commit is lost in a crash is removed again, with the record of its sequences: nothing waits for the disk. */
const settings = `${withoutCompiling}; set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off;
  set synchronous_commit = off`;

async function hasLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ mine: boolean }>(
    `select pg_try_advisory_lock(${removerLock}) as mine`,
  );
  return rows[0]?.mine === true;
}
