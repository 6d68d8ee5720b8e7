import { sql } from 'kysely';
import type { Reader } from '../reading/snapshot.ts';

/** Removes the notes of late changes that no business day of now can hold any more. */
export async function forgetLateChanges(db: Reader): Promise<void> {
  await sql`delete from occupancy_late_change
    where quarter < floor(extract(epoch from now() - interval '3 days') / 900)::integer`.execute(db);
}
