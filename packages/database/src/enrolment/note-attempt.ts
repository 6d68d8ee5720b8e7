import { sql, type Transaction } from 'kysely';
import type { EnrolmentOutcome } from '../tables/enrolment.ts';
import type { Schema } from '../tables/schema.ts';

export interface Attempt {
  readonly codeId: number;
  readonly now: Date;
  readonly address: string;
  readonly serial: string;
  readonly outcome: EnrolmentOutcome;
}

/**
 * The most attempts without effect that are stored for a code; older ones are deleted, so that no caller fills the
 * disk.
 */
const mostIdle = 1_000;

const enrolling: readonly EnrolmentOutcome[] = ['enrolled', 'replaced'];

/** Records an attempt and its outcome, with the device if it is the unit's. */
export async function recordAttempt(trx: Transaction<Schema>, attempt: Attempt): Promise<void> {
  const { codeId, now: at, address, serial, outcome } = attempt;
  const isUnits = outcome === 'repeated' || enrolling.includes(outcome);
  const device = sql<number | null>`(select id from device where serial = ${serial} and ${isUnits})`;
  await trx
    .insertInto('enrolment_attempt')
    .values({ code_id: codeId, at, address, serial, outcome, device_id: device })
    .execute();
  if (enrolling.includes(outcome)) return;
  await sql`
    delete from enrolment_attempt where id in (
      select id from enrolment_attempt
      where code_id = ${codeId} and outcome <> all(${enrolling})
      order by id desc offset ${mostIdle}
    )`.execute(trx);
}
