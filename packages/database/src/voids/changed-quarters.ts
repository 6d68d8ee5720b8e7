import { sql, type Transaction } from 'kysely';
import { recordRewrites } from '../occupancy/change.ts';
import { keyOfQuarter, type Quarter } from '../occupancy/quarter.ts';
import { onKysely } from '../sql/run-statement.ts';

/** How many crossings of a quarter hour have changed. */
export interface ChangedQuarter extends Quarter {
  readonly crossings: number;
}

/**
 * Brings what is derived from crossings up to date after some of them were voided (`sign` -1) or restored (1), in
 * the same transaction. A quarter may be in `changed` several times.
 */
export async function applyChangedQuarters(
  trx: Transaction<unknown>,
  deviceId: number,
  changed: readonly ChangedQuarter[],
  sign: 1 | -1,
): Promise<void> {
  const quarters = new Map(changed.map((one) => [keyOfQuarter(one), one]));
  await recordRewrites(onKysely(trx), [...quarters.values()]);
  const days = new Map<number, number>();
  for (const { quarter, crossings } of changed) {
    const day = Math.floor(quarter / quartersPerDay);
    days.set(day, (days.get(day) ?? 0) + sign * crossings);
  }
  /* Voided crossings do not count towards the limits of their device. */
  await sql`
    update device_day set crossed = greatest(0, crossed + more)
    from json_to_recordset(${JSON.stringify([...days].map(([day, more]) => ({ day, more })))})
      as changed (day integer, more bigint)
    where device_day.device_id = ${deviceId} and device_day.day = changed.day`.execute(trx);
}

const quartersPerDay = 96;
