import { type Kysely, sql } from 'kysely';
import type { RejectedMessage } from '../rejected/rejected-messages.ts';
import type { DB } from '../sql/schema.ts';
import type { CrossingName } from './read-trace.ts';

/* What the database has about a crossing that is not stored, or was rejected before it was stored. */

/** A sequence that is accounted for without a stored crossing, or missing. */
export interface TracedGap {
  readonly state: 'rejected' | 'lost' | 'missing';
  /** Null of a rejected one. */
  readonly since: number | null;
}

/** What is recorded about a sequence that is not stored. */
export async function tracedGaps(
  db: Kysely<DB>,
  { deviceId, journal, sequence }: CrossingName,
): Promise<TracedGap[]> {
  const { rows } = await sql<TracedGap>`
    with named as (select * from journal where device_id = ${deviceId} and name = ${journal})
    select case when lost @> ${sequence}::bigint then 'lost' else 'rejected' end as state,
      case when lost @> ${sequence}::bigint then lost_at end as since
    from named where accounted @> ${sequence}::bigint
    union all
    select 'missing', missing_since from named where missing @> ${sequence}::bigint
    order by since`.execute(db);
  return rows;
}

/** A rejected message of a device in which a journal is named. */
interface TracedRejection extends Pick<RejectedMessage, 'id' | 'receivedAt' | 'reason'> {
  readonly payload: Buffer;
}

/** How many rejected messages are in memory. */
export const rejectionsPerPage = 100;

/**
 * The rejected messages of a device whose payload contains the name of a journal, after the one with the id `after`, oldest
 * first; fewer than `rejectionsPerPage` at the end.
 */
export async function tracedRejections(
  db: Kysely<DB>,
  { deviceId, journal }: CrossingName,
  after: string,
): Promise<TracedRejection[]> {
  const { rows } = await sql<TracedRejection>`
    select id, received_at as "receivedAt", reason, payload
    from rejected_message
    where device_id = ${deviceId} and id > ${after}::bigint
      and position(convert_to(${journal}, 'UTF8') in payload) > 0
    order by id limit ${rejectionsPerPage}`.execute(db);
  return rows;
}
