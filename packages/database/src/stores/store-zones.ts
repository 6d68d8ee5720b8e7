import { isTimeZone, offsetPeriodAt } from '@visitor-counter/domain/time-zone';
import { type Kysely, sql } from 'kysely';
import type { DB } from '../sql/schema.ts';

/** The zones of stores that this program cannot use as they are, or that PostgreSQL uses differently. */
export interface StoreZones {
  /** With an instant (epoch ms) at which the local times differ. */
  readonly differing: readonly { readonly zone: string; readonly at: number }[];
  /** Unknown to Node: their stores have UTC. */
  readonly unknown: readonly string[];
}

/** Half a month (ms): no zone goes back and forth within it. */
const step = 15 * 24 * 3_600_000;

/** Compares the rules of Node with those of PostgreSQL, from a year before `now` (epoch ms) to a year after it. */
export async function compareStoreZones(db: Kysely<DB>, now: number): Promise<StoreZones> {
  const instants = Array.from({ length: 50 }, (_, n) => new Date(now + (n - 25) * step));
  const { rows } = await sql<{ zone: string; at: number | null; offset: number }>`
    select zone, at,
      extract(epoch from (at at time zone zone) - (at at time zone 'UTC'))::float8 * 1000 as offset
    from (select distinct time_zone as zone from store) used
    left join unnest(${instants}::timestamptz[]) at
      on exists (select from pg_timezone_names where lower(name) = lower(zone))
    order by zone, at`.execute(db);
  const unknown = new Set(rows.map(({ zone }) => zone).filter((zone) => !isTimeZone(zone)));
  const differing = new Map<string, number>();
  for (const { zone, at, offset } of rows) {
    if (at === null || unknown.has(zone) || offsetPeriodAt(at, zone).offset === offset) continue;
    differing.set(zone, differing.get(zone) ?? at);
  }
  return { differing: [...differing].map(([zone, at]) => ({ zone, at })), unknown: [...unknown] };
}
