import { sql } from 'kysely';

/** The last instant (epoch ms) that ISO 8601 writes with four digits of year, and so PostgreSQL reads. */
const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * An instant (epoch ms, also infinite) as text for a timestamptz, limited to 1970 to 9999: no crossing and no device
 * is outside, so the limit does not change what a bound selects.
 */
export function timestamp(instant: number): string {
  return new Date(Math.min(Math.max(instant, 0), last)).toISOString();
}

/** An instant (epoch ms, also infinite) as a value of the query builder. */
export function instant(ms: number) {
  return sql<number>`${timestamp(ms)}::timestamptz`;
}

/**
 * SQL for the latest instant that a program can have written as the present, however its clock differs from the
 * database's. A later one was written before a clock was set back, and is no longer valid.
 */
export const latestInstant = `now() + interval '1 minute'`;

/** SQL for the instant so many ms from now, by the database's clock. */
export function inMs(ms: number) {
  return sql<number>`now() + ${interval(ms)}`;
}

/** SQL for a duration in ms. */
export function interval(ms: number) {
  return sql`make_interval(secs => ${ms}::float8 / 1000)`;
}

/** 2000-01-01, where PostgreSQL counts from, in epoch ms. */
const postgresEpoch = 946_684_800_000;
const twoTo32 = 4_294_967_296;

/** The instant (epoch ms) of a timestamptz in PostgreSQL's binary form; `infinity` is later than all others. */
export function instantIn(view: DataView, offset: number): number {
  const microseconds = view.getInt32(offset) * twoTo32 + view.getUint32(offset + 4);
  return Math.floor(microseconds / 1_000) + postgresEpoch;
}
