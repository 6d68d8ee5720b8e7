import { type Kysely, type RawBuilder, sql } from 'kysely';
import { numberArray } from '../sql/arrays.ts';
import { interval, timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import { testVersion } from './report-mails.ts';

/**
 * A digest of what the projection contains of the stores of a mail in its period, and of the staff passages there. It
 * changes whenever a number of the report changes, and sometimes when none does.
 */
const digestOf = (
  storeIds: RawBuilder<unknown>,
  from: RawBuilder<unknown>,
  until: RawBuilder<unknown>,
) => sql`(
    select md5(string_agg(concat_ws(' ', store_id, entries, staff), ',' order by store_id))
    from unnest(${storeIds}) as one (store_id)
    cross join lateral (
      select sum(entries) as entries from quarter
      where quarter.store_id = one.store_id
        and quarter between floor(extract(epoch from ${from}) / 900)::integer
          and floor(extract(epoch from ${until}) / 900)::integer
    ) counted
    cross join lateral (
      select sum(people) as staff from staff_passage_in_force passage
      where passage.store_id = one.store_id and at >= ${from} and at < ${until}
    ) tapped
  )`;

/** The digest of stores from one instant to another (epoch ms). */
export async function reportDigest(
  db: Kysely<DB>,
  storeIds: readonly number[],
  from: number,
  until: number,
): Promise<string> {
  const digest = digestOf(
    sql`${numberArray(storeIds)}::integer[]`,
    sql`${timestamp(from)}::timestamptz`,
    sql`${timestamp(until)}::timestamptz`,
  );
  const { rows } = await sql<{ digest: string | null }>`select ${digest} as digest`.execute(db);
  return rows[0]?.digest ?? '';
}

/** How long a report is checked for changes, and when they are reported (ms). */
export interface CorrectionTimes {
  /** After the end of what was counted. */
  readonly longest: number;
  /** Without a further change. */
  readonly quiet: number;
  /** Between two corrections. */
  readonly pause: number;
}

/** Reports whose mails one statement compares: every statement has a deadline, and a report may be about thousands of stores. */
const atOnce = 5;

/** Removes mails about times more than 90 days ago, long after their last correction; the last one of each report is kept. */
async function removeOldMails(db: Kysely<DB>): Promise<void> {
  await sql`
    delete from report_mail mail where counted_until < now() - interval '90 days' and exists (
      select from report_mail later
      where later.mail_report_id = mail.mail_report_id and later.counted_until > mail.counted_until
    )`.execute(db);
}

/**
 * Removes old mails. Queues a correction of each report whose numbers may have changed since the last mail about it, and
 * have not changed for a while; returns their number. The sender drops a correction that changes no number.
 */
export async function queueCorrections(db: Kysely<DB>, times: CorrectionTimes): Promise<number> {
  await removeOldMails(db);
  const { rows } = await sql<{ id: number }>`select id from mail_report where enabled order by id`.execute(
    db,
  );
  const reports = rows.map(({ id }) => id);
  let queued = 0;
  for (let first = 0; first < reports.length; first += atOnce)
    queued += await queueCorrectionsOf(db, reports.slice(first, first + atOnce), times);
  return queued;
}

async function queueCorrectionsOf(
  db: Kysely<DB>,
  reportIds: readonly number[],
  { longest, quiet, pause }: CorrectionTimes,
): Promise<number> {
  const ids = sql`array(select key::integer from json_each_text(mail.visitors))`;
  const { rows } = await sql<{ id: string }>`
    with latest as (
      select distinct on (mail_report_id, first_date, last_date) mail.*
      from report_mail mail join mail_report on mail_report.id = mail_report_id and enabled
      where mail_report_id = any(${numberArray(reportIds)}::integer[])
        and version <> ${testVersion} and counted_until > now() - ${interval(longest)}
      order by mail_report_id, first_date, last_date, version desc
    ), compared as (
      select mail.id, ${digestOf(ids, sql`mail.counted_from`, sql`mail.counted_until`)} as present
      from latest mail where coalesce(delivered_at, given_up_at) is not null and visitors is not null
    ), changed as (
      update report_mail mail set seen_digest = present, seen_at = now()
      from compared where compared.id = mail.id and present <> digest and present is distinct from seen_digest
    ), restored as (
      update report_mail mail set seen_digest = null, seen_at = null
      from compared where compared.id = mail.id and present = digest and seen_digest is not null
    )
    insert into report_mail (mail_report_id, first_date, last_date, version, counted_until, remaining)
    select mail.mail_report_id, mail.first_date, mail.last_date, mail.version + 1, mail.counted_until, recipients
    from latest mail join compared on compared.id = mail.id
    join mail_report on mail_report.id = mail.mail_report_id
    where present = seen_digest and seen_at <= now() - ${interval(quiet)}
      and (mail.version = 1 or coalesce(mail.delivered_at, mail.given_up_at) <= now() - ${interval(pause)})
    on conflict do nothing returning id`.execute(db);
  return rows.length;
}

/** Drops a correction that has nothing to correct; the version before then has the digest for which it was queued. */
export async function dropCorrection(db: Kysely<DB>, id: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`
      update report_mail before set digest = coalesce(before.seen_digest, before.digest), seen_digest = null, seen_at = null
      from report_mail dropped
      where dropped.id = ${id} and before.mail_report_id = dropped.mail_report_id
        and before.first_date = dropped.first_date and before.last_date = dropped.last_date
        and before.version = dropped.version - 1`.execute(trx);
    await sql`delete from report_mail where id = ${id}`.execute(trx);
  });
}
