import type { Kysely } from 'kysely';
import type { Schema } from '../tables/schema.ts';

/** A diagnosis that a unit sent. */
export interface StoredDiagnosis {
  /** The command that it answers. */
  readonly commandId: number;
  readonly receivedAt: Date;
  /** As it is stored, unchecked. */
  readonly report: unknown;
}

/** The last diagnoses of a device, the newest first. */
export async function readDiagnoses(db: Kysely<Schema>, deviceId: number): Promise<StoredDiagnosis[]> {
  const rows = await db
    .selectFrom('device_diagnosis')
    .select(['command_id', 'received_at', 'report'])
    .where('device_id', '=', deviceId)
    .orderBy('received_at', 'desc')
    .execute();
  return rows.map(({ command_id, received_at, report }) => ({
    commandId: Number(command_id),
    receivedAt: received_at,
    report,
  }));
}
