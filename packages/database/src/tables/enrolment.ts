import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** The result of an attempt to enrol with a known code. */
export type EnrolmentOutcome =
  | 'enrolled'
  | 'replaced'
  /** The unit has enrolled before and has not received the answer. */
  | 'repeated'
  | 'revoked'
  | 'expired'
  | 'used-up'
  /** A device has the serial, and the code is not for it. */
  | 'serial-taken'
  /** The code is for the unit of another serial. */
  | 'other-serial';

export interface EnrolmentTables {
  enrolment_code: EnrolmentCodeTable;
  enrolment_attempt: EnrolmentAttemptTable;
}

/** Exactly one of `store_id` and `replaces_device_id` is set. */
interface EnrolmentCodeTable {
  id: GeneratedAlways<number>;
  company_id: number;
  store_id: number | null;
  replaces_device_id: number | null;
  /** SHA-256 of the code. */
  hash: Buffer;
  uses: number;
  used: Generated<number>;
  created_at: ColumnType<Date, undefined, never>;
  expires_at: Date;
  revoked_at: ColumnType<Date | null, undefined, Date>;
}

interface EnrolmentAttemptTable {
  id: GeneratedAlways<string>;
  code_id: number;
  at: Date;
  address: string;
  serial: string;
  outcome: EnrolmentOutcome;
  device_id: number | null;
}
