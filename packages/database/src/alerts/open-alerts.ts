import type { Kysely } from 'kysely';
import type { AlertKind } from '../tables/alert-kind.ts';
import type { Schema } from '../tables/schema.ts';

/** An alert that was raised and is not over. */
export interface OpenAlert {
  readonly id: string;
  readonly companyId: number;
  readonly kind: AlertKind;
  /** What it is about, in a form that stays the same for as long as it lasts. */
  readonly subject: string;
  readonly deviceId: number | null;
}

export async function readOpenAlerts(db: Kysely<Schema>): Promise<OpenAlert[]> {
  const rows = await db
    .selectFrom('alert')
    .select(['id', 'company_id', 'kind', 'subject', 'device_id'])
    .where('cleared_at', 'is', null)
    .execute();
  return rows.map(({ company_id: companyId, device_id: deviceId, ...same }) => ({
    ...same,
    companyId,
    deviceId,
  }));
}
