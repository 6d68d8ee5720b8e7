import { type Kysely, sql } from 'kysely';
import type { AuditedChange } from './record-audit.ts';

/** The company and the subject of an entry. */
export type Concerned = Pick<AuditedChange, 'company' | 'subject'>;

/** A device as the subject of an entry, with its company. */
export async function deviceConcerned(db: Kysely<unknown>, deviceId: number): Promise<Concerned> {
  const { rows } = await sql<{ company: string; serial: string }>`
    select company.name as company, serial
    from device join company on company.id = device.company_id where device.id = ${deviceId}`.execute(db);
  return { company: rows[0]?.company ?? null, subject: { kind: 'device', key: rows[0]?.serial ?? '' } };
}

/** A store as the subject of an entry, with its company. */
export async function storeConcerned(db: Kysely<unknown>, storeId: number): Promise<Concerned> {
  const { rows } = await sql<{ company: string; sid: string }>`
    select company.name as company, sid
    from store join company on company.id = store.company_id where store.id = ${storeId}`.execute(db);
  return { company: rows[0]?.company ?? null, subject: { kind: 'store', key: rows[0]?.sid ?? '' } };
}
