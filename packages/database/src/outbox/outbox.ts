import { type Kysely, type RawBuilder, sql } from 'kysely';
import { inMs } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';

/**
 * A table of messages to send; its other columns identify the message. A message is due at `next_attempt_at`,
 * until it is delivered or given up.
 */
export type Outbox = 'alert_delivery' | 'report_mail';

/** Of a message, by its table: neither delivered nor given up. */
export const isPending = sql`delivered_at is null and given_up_at is null`;

/** A message is due again if its sender has not completed it within this time (ms): longer than any attempt takes. */
const lease = 90_000;

/**
 * Claims `limit` due messages that meet a condition, those with the fewest attempts first, so that none delays another: the
 * expressions `due` and `claimed` of a statement, of which the second has the rows.
 */
export function claimDue(outbox: Outbox, limit: number, condition: RawBuilder<unknown> = sql`true`) {
  const table = sql.table(outbox);
  return sql`due as (
      select id from ${table} where ${isPending} and next_attempt_at <= now() and ${condition}
      order by attempts, next_attempt_at limit ${limit} for update skip locked
    ), claimed as (
      update ${table} message set attempts = attempts + 1, next_attempt_at = ${inMs(lease)}
      from due where due.id = message.id returning message.*
    )`;
}

/** Records that a message was accepted, also one that was given up meanwhile. */
export async function recordDelivery(db: Kysely<DB>, outbox: Outbox, id: string): Promise<void> {
  await sql`
    update ${sql.table(outbox)} set delivered_at = now(), given_up_at = null, last_problem = null
    where id = ${id}`.execute(db);
}

/**
 * Records a failed attempt. The next one is after `pause` ms; undefined: there is none, nor is there one of a message that
 * was delivered or given up meanwhile.
 */
export async function recordFailure(
  db: Kysely<DB>,
  outbox: Outbox,
  id: string,
  problem: string,
  pause: number | undefined,
): Promise<void> {
  await sql`
    update ${sql.table(outbox)} set last_problem = ${problem}, next_attempt_at = ${inMs(pause ?? 0)},
      given_up_at = ${pause === undefined ? sql`now()` : null}
    where id = ${id} and ${isPending}`.execute(db);
}

/** Records whether the process that sends mails has a mail server. */
export async function recordMailServer(db: Kysely<DB>, isSet: boolean): Promise<void> {
  await db
    .updateTable('installation')
    .set({ hasMailServer: isSet })
    .where('hasMailServer', 'is distinct from', isSet)
    .execute();
}

/** What was recorded last; null if no process has sent mails yet. */
export async function hasMailServer(db: Kysely<DB>): Promise<boolean | null> {
  const { hasMailServer } = await db
    .selectFrom('installation')
    .select('hasMailServer')
    .executeTakeFirstOrThrow();
  return hasMailServer;
}
