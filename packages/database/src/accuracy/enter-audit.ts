import type { Crossing } from '@visitor-counter/domain/crossing';
import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql } from 'kysely';
import { type Author, deviceConcerned, recordAudit } from '../audit/record-audit.ts';
import { KeyConflict } from '../entries/entries.ts';
import { requireCrossings } from '../retention/removed-before.ts';
import { timestamp } from '../sql/instant.ts';
import { joinCurrentStore } from '../stores/stores.ts';

/** What a person saw at a door, and who they are. */
export interface NewAudit {
  readonly deviceId: number;
  readonly storeId: number;
  /** An id that the caller has made. */
  readonly key: string;
  /** In order of time, at least one. */
  readonly passages: readonly Crossing[];
  readonly author: Author;
  readonly note: string;
  readonly credentialId: number;
}

/** A device of a company by its serial, and its store at `at` (epoch ms); undefined if there is none. */
export async function auditedDevice(
  db: Kysely<unknown>,
  { companyId, serial, at }: { readonly companyId: number; readonly serial: string; readonly at: number },
): Promise<{ readonly deviceId: number; readonly storeId: number } | undefined> {
  const { rows } = await sql<{ deviceId: number; storeId: number }>`
    select device.id as "deviceId", current.store_id as "storeId"
    from device ${joinCurrentStore(sql`${timestamp(at)}::timestamptz`)}
    where company_id = ${companyId}::integer and serial_key = ${nameKey(serial)}`.execute(db);
  return rows[0];
}

/**
 * Stores an audit and returns its id, or that of the audit that was stored with its key. Throws KeyConflict if that one has
 * other passages, and CrossingsRemoved if crossings of that time were removed.
 */
export async function enterAudit(db: Kysely<unknown>, audit: NewAudit): Promise<string> {
  const { deviceId, storeId, key, passages, author, note, credentialId } = audit;
  const rows = JSON.stringify(passages.map(({ at, direction }) => [at, direction]));
  const [firstAt, lastAt] = [passages[0]?.at ?? 0, passages.at(-1)?.at ?? 0];
  return await db.transaction().execute(async (trx) => {
    const known = await enteredWith(trx, audit, rows);
    if (known !== undefined) return known;
    await requireCrossings(trx, { deviceId }, firstAt);
    const inserted = await sql<{ id: string }>`
      insert into accuracy_audit (
        device_id, store_id, key, first_at, last_at, passages, entered_by, note, credential_id
      ) values (
        ${deviceId}, ${storeId}, ${key}, ${timestamp(firstAt)}, ${timestamp(lastAt)}, ${rows}, ${author.name},
        ${note}, ${credentialId}
      ) on conflict (device_id, key) do nothing returning id`.execute(trx);
    const id = inserted.rows[0]?.id;
    /* Another request with the key was faster. */
    if (id === undefined) return (await enteredWith(trx, audit, rows)) ?? '';
    await recordAudit(trx, author, {
      ...(await deviceConcerned(trx, deviceId)),
      action: 'accuracy audit entered',
      details: {
        audit: Number(id),
        passages: passages.length,
        from: timestamp(firstAt),
        to: timestamp(lastAt),
        note,
      },
    });
    return id;
  });
}

/** The id of the audit that was entered with the key of `audit`. Throws KeyConflict. */
async function enteredWith(
  db: Kysely<unknown>,
  { deviceId, key }: NewAudit,
  passages: string,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string; passages: string }>`
    select id, passages::text as passages from accuracy_audit
    where device_id = ${deviceId}::integer and key = ${key}`.execute(db);
  const [known] = rows;
  if (known === undefined || known.passages === passages) return known?.id;
  throw new KeyConflict('an audit with this key and other passages exists');
}
