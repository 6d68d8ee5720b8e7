import { setTimeout as delay } from 'node:timers/promises';
import { pause } from '@visitor-counter/service/pause';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { lockKeys, type SoleWorker, startSoleWorker, type WorkerOptions } from '../sql/advisory-locks.ts';
import { planByKeys } from '../sql/open-client.ts';
import { runStatement } from '../sql/query-builder.ts';
import type { DB } from '../sql/schema.ts';

/** Crossings before this instant cannot be read; null if all can. */
const before = sql<number | null>`nullif(kept_from(company), '-infinity')`;

/** A company, by its id or by that of something that belongs to it. */
type Owner = { readonly companyId: number } | { readonly storeId: number } | { readonly deviceId: number };

/** The first instant (epoch ms) from which the crossings of a company are kept; -Infinity if all are. */
export async function keptFrom(db: Kysely<DB>, of: Owner): Promise<number> {
  const company = await db
    .selectFrom('company')
    .select(before.as('before'))
    .where('id', '=', companyOf(of))
    .executeTakeFirst();
  return company?.before ?? Number.NEGATIVE_INFINITY;
}

function companyOf(of: Owner): RawBuilder<number> {
  if ('companyId' in of) return sql`${of.companyId}`;
  if ('storeId' in of) return sql`(select company_id from store where id = ${of.storeId})`;
  return sql`(select company_id from device where id = ${of.deviceId})`;
}

/** What depends on crossings before an instant cannot be read or changed. */
export class CrossingsRemoved extends Error {
  override readonly name = 'CrossingsRemoved';
  readonly code = 'crossings-removed';
  /** The first instant whose crossings are kept (epoch ms). */
  readonly before: number;

  constructor(before: number) {
    super(`crossings before ${new Date(before).toISOString()} are no longer kept`);
    this.before = before;
  }
}

/**
 * Throws CrossingsRemoved if `instant` (epoch ms) is before the crossings that a company keeps: what is there does not change
 * any more.
 */
export async function requireCrossings(db: Kysely<DB>, of: Owner, instant: number): Promise<void> {
  const before = await keptFrom(db, of);
  if (instant < before) throw new CrossingsRemoved(before);
}

interface RemoverOptions extends WorkerOptions {
  /** Called after every batch that has deleted something, with the number of crossings; must not throw. */
  readonly onRemoved?: (removed: number) => void;
}

/** How often the remover looks for crossings that are too old (ms). */
const interval = 10_000;

/** Crossings in a batch: few, so that no batch delays a writer noticeably. */
const batchSize = 1_000;

/** After a batch the remover waits this many times as long as the batch took, so that ingest is not slowed down. */
const restPerWork = 9;
const shortestRest = 10;

/** A batch whose commit is lost in a crash is deleted again: nothing waits for the disk. */
const settings = `${planByKeys}; set synchronous_commit = off`;

/**
 * Deletes the crossings that companies no longer keep for as long as it is open, in small batches, with pauses. Of several
 * processes, one does it.
 */
export function startRemover(options: RemoverOptions): SoleWorker {
  const { onRemoved } = options;
  const work = async (db: Kysely<DB>, signal: AbortSignal) => {
    while (!signal.aborted) {
      await removeOld(db, signal, onRemoved);
      await delay(interval, undefined, { signal });
    }
  };
  return startSoleWorker(options, { lock: lockKeys.remover, settings, standby: interval, work });
}

/** Deletes all crossings that are a day older than companies keep. Returns how many they were. */
export async function removeOld(
  db: Kysely<DB>,
  signal: AbortSignal,
  onRemoved: (removed: number) => void = () => {},
): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const begin = performance.now();
    const [row] = await runStatement<{ removed: number }>(db, statement, [batchSize]);
    const removed = row?.removed ?? 0;
    if (removed > 0) onRemoved(removed);
    total += removed;
    if (removed === 0) break;
    await pause(Math.max(shortestRest, restPerWork * (performance.now() - begin)), signal);
  }
  return total;
}

/**
 * Of stores, and of voids: voided crossings have the negative id of their void as store. Quarter hours are final from the
 * first deletion on.
 */
const statement = `
  with owned as materialized (
    select owned.id, company.id as company_id, horizon(retention_months) - interval '1 day' as until
    from company cross join lateral (
      select id from store where company_id = company.id
      union all
      select -void.id from crossing_void void join device on device.id = void.device_id
      where device.company_id = company.id
    ) owned
    where retention_months is not null
  ), old as materialized (
    select found.*, company_id, until from owned cross join lateral (
      select journal_id, sequence from crossing where store_id = owned.id and at < until order by at limit $1
    ) found
    limit $1
  ), removed as (
    delete from crossing using old
    where crossing.journal_id = old.journal_id and crossing.sequence = old.sequence
    returning 1
  ), final as (
    update company set deleted_before = old.until from (select distinct company_id, until from old) old
    where company.id = old.company_id and deleted_before < old.until
  )
  select count(*) as removed from removed`;
