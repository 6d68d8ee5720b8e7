import type { DirectionAccuracy } from '@visitor-counter/domain/accuracy';
import type { Crossing } from '@visitor-counter/domain/crossing';
import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type Author, deviceConcerned, recordAudit } from '../audit/record-audit.ts';
import { KeyConflict } from '../entries/entries.ts';
import { requireCrossings } from '../retention/retention.ts';
import { epochMs, timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';
import { joinCurrentStore } from '../stores/stores.ts';

/** An audit of a door, and its result. Instants are epoch ms. */
export interface AuditFacts {
  /** 64-bit numbers arrive as text. */
  readonly id: string;
  readonly key: string;
  readonly deviceId: number;
  readonly serial: string;
  readonly storeId: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly entriesSeen: number;
  readonly exitsSeen: number;
  readonly enteredBy: string;
  readonly note: string;
  readonly enteredAt: number;
  /** The label of the credential. */
  readonly credential: string | null;
  /**
   * `pending`: the unit has not delivered everything. `computed`: there is a result. `removed`: the crossings of that time were
   * removed before, so there will be none.
   */
  readonly state: 'pending' | 'computed' | 'removed';
  /** Of the result (ms); null if there is none. */
  readonly lag: number | null;
  readonly entries: DirectionAccuracy | null;
  readonly exits: DirectionAccuracy | null;
}

interface AuditQuery {
  readonly storeIds: readonly number[];
  readonly deviceId: number | undefined;
  /** Only those with a lower id. */
  readonly before: string | undefined;
  readonly limit: number;
}

/** The audits of doors in stores, the last entered first. */
export async function listAudits(db: Kysely<DB>, query: AuditQuery): Promise<AuditFacts[]> {
  const { storeIds, deviceId, before, limit } = query;
  const { rows } = await facts(sql`
    audit.store_id = any(${storeIds}::integer[]) and audit.device_id = coalesce(${deviceId ?? null}::integer, audit.device_id)
      and audit.id < coalesce(${before ?? null}::bigint, 9223372036854775807)
    order by audit.id desc limit ${limit}`).execute(db);
  return rows;
}

export async function findAudit(db: Kysely<DB>, id: string): Promise<AuditFacts | undefined> {
  const { rows } = await facts(sql`audit.id = ${id}::bigint`).execute(db);
  return rows[0];
}

/** The latest audit with a result of each device in its present store, by device id. */
export async function latestResults(
  db: Kysely<DB>,
  deviceIds: readonly number[],
): Promise<ReadonlyMap<number, AuditFacts>> {
  const { rows } = await facts(sql`
    audit.id in (
      select latest.id from unnest(${deviceIds}::integer[]) as device (id)
      ${joinCurrentStore()}
      cross join lateral (
        select id from accuracy_audit done
        where done.device_id = device.id and done.store_id = current.store_id
          and exists (select from accuracy_result where audit_id = done.id and lag is not null)
        order by last_at desc, id desc limit 1
      ) latest
    )`).execute(db);
  return new Map(rows.map((audit) => [audit.deviceId, audit]));
}

function facts(condition: RawBuilder<unknown>): RawBuilder<AuditFacts> {
  return sql<AuditFacts>`
    select audit.id, audit.key, audit.device_id, device.serial, audit.store_id, ${epochMs('audit.first_at')} as first_at,
      ${epochMs('audit.last_at')} as last_at, seen.entries as entries_seen, seen.exits as exits_seen,
      audit.entered_by, audit.note, ${epochMs('audit.entered_at')} as entered_at, credential.label as credential,
      case when result.audit_id is null then 'pending' when result.lag is null then 'removed' else 'computed' end as state,
      result.lag, result.entries, result.exits
    from accuracy_audit audit
    join device on device.id = audit.device_id
    left join credential on credential.id = audit.credential_id
    left join accuracy_result result on result.audit_id = audit.id
    cross join lateral (
      select count(*) filter (where passage ->> 1 = '1')::integer as entries,
        count(*) filter (where passage ->> 1 = '-1')::integer as exits
      from json_array_elements(audit.passages) as passage
    ) seen
    where ${condition}`;
}

/** What a person saw at a door, and who they are. */
interface NewAudit {
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
  db: Kysely<DB>,
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
 * other passages, and CrossingsRemoved for a time before the horizon of the company.
 */
export async function enterAudit(db: Kysely<DB>, audit: NewAudit): Promise<string> {
  const { deviceId, storeId, key, passages, author, note, credentialId } = audit;
  const rows = JSON.stringify(passages.map(({ at, direction }) => [at, direction]));
  const [firstAt, lastAt] = [passages[0]?.at ?? 0, passages.at(-1)?.at ?? 0];
  return await db.transaction().execute(async (trx) => {
    const inserted = await sql<{ id: string }>`
      insert into accuracy_audit (
        device_id, store_id, key, first_at, last_at, passages, entered_by, note, credential_id
      ) values (
        ${deviceId}, ${storeId}, ${key}, ${timestamp(firstAt)}, ${timestamp(lastAt)}, ${rows}, ${author.name},
        ${note}, ${credentialId}
      ) on conflict (device_id, key) do nothing returning id`.execute(trx);
    const id = inserted.rows[0]?.id;
    if (id === undefined) return await idOfKey(trx, audit, rows);
    await requireCrossings(trx, { deviceId }, firstAt);
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
async function idOfKey(db: Kysely<DB>, { deviceId, key }: NewAudit, passages: string): Promise<string> {
  const { rows } = await sql<{ id: string; passages: string }>`
    select id, passages::text as passages from accuracy_audit
    where device_id = ${deviceId}::integer and key = ${key}`.execute(db);
  const [known] = rows;
  if (known?.passages !== passages) throw new KeyConflict('an audit with this key and other passages exists');
  return known.id;
}
