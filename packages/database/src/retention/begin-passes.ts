import type { ClientBase } from 'pg';
import { heartbeatInteger, heartbeatText } from '../sql/heartbeat-fields.ts';
import { onClient, type RunStatement } from '../sql/run-statement.ts';
import { inTransaction } from '../sql/transaction.ts';

/** A new beginning of the crossings of a company. */
export interface BegunPass {
  readonly company: string;
  /** Crossings before this instant are removed (epoch ms). */
  readonly before: number;
}

/**
 * Moves the beginning of the crossings of each company that has a retention to the day of UTC that is so many months
 * before `now` (epoch ms), if that is later than it is. From the commit on, readers and writers treat crossings before it
 * as removed.
 *
 * The lock on the company waits for transactions that change crossings or corrections before the new beginning
 * (`requireCrossings`): whoever sees the pass sees their change records. Only the process that has the lock for removing
 * crossings may call it.
 */
export async function beginPasses(client: ClientBase, clock: number): Promise<BegunPass[]> {
  const run = onClient(client);
  const due = await run<{ id: number }>('find-due-passes', findStatement, [clock]);
  const begun: BegunPass[] = [];
  if (due.length === 0) return begun;
  const now = Math.min(clock, await latestByUnits(run));
  for (const { id } of due) {
    const passes = await inTransaction(client, async () => {
      await client.query(durable);
      await run('lock-company', 'select from company where id = $1::integer for no key update', [id]);
      return run<BegunPass>('begin-pass', beginStatement, [now, id]);
    });
    begun.push(...passes);
  }
  return begun;
}

/** How far this clock may be ahead of the last heartbeat of all units (ms). */
const mostAhead = 60 * 60_000;

/**
 * The latest instant (epoch ms) that can be the present one, by the units whose clocks are synchronised: what a server
 * with a wrong clock removed could not be restored. Without such units Infinity. While all of them are silent,
 * nothing more is removed.
 */
async function latestByUnits(run: RunStatement): Promise<number> {
  const [row] = await run<{ at: number | null }>('latest-heartbeat', latestStatement, []);
  return (row?.at ?? Number.POSITIVE_INFINITY) + mostAhead;
}

const latestStatement = `
  select max(${heartbeatInteger('heartbeat', 'at')})::float8 as at
  from device_state join device on device.id = device_id
  where retired_at is null and secret_revoked_at is null and ${heartbeatText('heartbeat', 'clock')} = 'synced'`;

/** What readers of the database have seen must be on disk, and sent to its standbys. */
const durable = 'set local synchronous_commit = on';

const day = `(
    date_trunc('day', to_timestamp($1::float8 / 1000) at time zone 'UTC')
    - make_interval(months => company.retention_months)
  ) at time zone 'UTC'`;

/** Crossings have instants from 1970 on. */
const due = `company.retention_months is not null and ${day} > coalesce(
    (select max(removed_before) from retention_pass where company_id = company.id), '1970-01-01Z')`;

const findStatement = `select id from company where ${due} order by id`;

/** A pass that has not finished is continued by the new one. */
const beginStatement = `
  with replaced as (
    update retention_pass set finished_at = now() where company_id = $2::integer and finished_at is null
  ), begun as (
    insert into retention_pass (company_id, removed_before, horizon, removes_below)
    select company.id, ${day}, present.horizon, coalesce((
      select horizon from retention_pass before where before.company_id = company.id
      order by removed_before desc limit 1
    ), present.horizon)
    from company, (
      select transactions_before + pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon
      from installation
    ) present
    where company.id = $2::integer and ${due}
    returning company_id, removed_before
  )
  select company.name as company, (extract(epoch from removed_before) * 1000)::float8 as before
  from begun join company on company.id = begun.company_id`;
