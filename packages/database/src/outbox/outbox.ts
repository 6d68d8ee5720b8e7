import { sql } from 'kysely';
import type { Db } from '../sql/query-builder.ts';

/** How a message is sent: alerts to webhooks or by mail, and reports by mail. */
export const channels = ['webhook', 'mail', 'report'] as const;
export type Channel = (typeof channels)[number];

/** A claimed message. */
export interface Message {
  readonly id: string;
  /** Including this one. */
  readonly attempts: number;
}

/** Of a message: neither delivered nor given up. */
export const isPending = sql<boolean>`delivered_at is null and given_up_at is null`;

/** A message is due again if its sender has not completed it within this time (ms): longer than any attempt takes. */
const lease = 90_000;

/**
 * Claims due messages of a channel, those with the fewest attempts first, so that none delays another. The end of an alert is
 * not sent before its beginning.
 */
export async function claimMessages(db: Db, channel: Channel, limit: number): Promise<Message[]> {
  const { rows } = await sql<Message>`
    with due as (
      select id from outbox
      where channel = ${channel} and ${isPending} and next_attempt_at <= now() and (kind <> 'cleared' or not exists (
        select from outbox earlier
        where earlier.alert_id = outbox.alert_id and earlier.target_id = outbox.target_id and earlier.kind = 'raised'
          and earlier.delivered_at is null and earlier.given_up_at is null
      ))
      order by attempts, next_attempt_at limit ${limit} for update skip locked
    )
    update outbox set attempts = attempts + 1, next_attempt_at = ${inMs(lease)}
    from due where due.id = outbox.id returning outbox.id, attempts`.execute(db);
  return rows;
}

/** Records that a message was accepted, also one that was given up meanwhile. */
export async function recordDelivery(db: Db, id: string): Promise<void> {
  const delivered = { deliveredAt: sql<number>`now()`, givenUpAt: null, lastProblem: null };
  await db.updateTable('outbox').set(delivered).where('id', '=', id).execute();
}

/**
 * Records a failed attempt. The next one is after `pause` ms; undefined: there is none, nor is there one of a message that
 * was delivered or given up meanwhile.
 */
export async function recordFailure(
  db: Db,
  id: string,
  problem: string,
  pause: number | undefined,
): Promise<void> {
  await db
    .updateTable('outbox')
    .set({
      lastProblem: problem,
      nextAttemptAt: inMs(pause ?? 0),
      givenUpAt: pause === undefined ? sql<number>`now()` : null,
    })
    .where('id', '=', id)
    .where(isPending)
    .execute();
}

/** Records whether the process that sends mails has a mail server. */
export async function recordMailServer(db: Db, isSet: boolean): Promise<void> {
  await db
    .updateTable('installation')
    .set({ hasMailServer: isSet })
    .where('hasMailServer', 'is distinct from', isSet)
    .execute();
}

/** What was recorded last; null if no process has sent mails yet. */
export async function hasMailServer(db: Db): Promise<boolean | null> {
  const { hasMailServer } = await db
    .selectFrom('installation')
    .select('hasMailServer')
    .executeTakeFirstOrThrow();
  return hasMailServer;
}

/** The instant so many ms from now, by the database's clock. */
function inMs(ms: number) {
  return sql<number>`now() + make_interval(secs => ${ms / 1_000})`;
}
