import { type Kysely, sql } from 'kysely';
import type { CrossingName } from './read-trace.ts';

/** A sequence that is accounted for without a stored crossing, or missing. */
export interface TracedGap {
  readonly state: 'rejected' | 'lost' | 'missing' | 'removed';
  /** Of a removed one, when crossings of its company were last removed. */
  readonly since: Date;
}

/** What is recorded about a sequence that is not stored. */
export async function tracedGaps(
  db: Kysely<unknown>,
  { deviceId, journal, sequence }: CrossingName,
): Promise<TracedGap[]> {
  const { rows } = await sql<TracedGap>`
    with named as (select id from journal where device_id = ${deviceId} and name = ${journal})
    select reason as state, since from named join journal_uncounted on journal_id = id
    where first <= ${sequence} and last >= ${sequence}
    union all
    select 'missing', since from named join journal_missing on journal_id = id
    where first <= ${sequence} and last >= ${sequence}
    union all
    select 'removed', coalesce((
      select max(begun_at) from retention_pass
      where company_id = (select company_id from device where id = ${deviceId})
    ), now())
    from named join journal_removed on journal_id = id
    where first <= ${sequence} and last >= ${sequence}
    order by since`.execute(db);
  return rows;
}

/** A rejected message of a device in which a journal is named. */
interface TracedRejection {
  readonly id: string;
  readonly deviceId: number;
  readonly topic: string;
  readonly receivedAt: Date;
  readonly reason: string;
  readonly payload: Buffer;
}

/** The rejected messages of a device whose payload contains the name of a journal, oldest first. */
export async function tracedRejections(
  db: Kysely<unknown>,
  { deviceId, journal }: CrossingName,
): Promise<TracedRejection[]> {
  const { rows } = await sql<TracedRejection>`
    select id, device_id as "deviceId", topic, received_at as "receivedAt", reason, payload
    from rejected_message
    where device_id = ${deviceId} and position(convert_to(${journal}, 'UTF8') in payload) > 0
    order by id limit 10000`.execute(db);
  return rows;
}
