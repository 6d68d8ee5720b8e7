import type { DirectionAccuracy } from '@visitor-counter/domain/accuracy';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { epochMs } from '../sql/instant.ts';
import { joinCurrentStore } from '../stores/stores.ts';

/** An audit of a door, and its result. Instants are epoch ms. */
export interface AuditFacts {
  /** 64-bit numbers arrive as text. */
  readonly id: string;
  readonly key: string;
  readonly device_id: number;
  readonly serial: string;
  readonly store_id: number;
  readonly first_at: number;
  readonly last_at: number;
  readonly entries_seen: number;
  readonly exits_seen: number;
  readonly entered_by: string;
  readonly note: string;
  readonly entered_at: number;
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
export async function listAudits(db: Kysely<unknown>, query: AuditQuery): Promise<AuditFacts[]> {
  const { storeIds, deviceId, before, limit } = query;
  const { rows } = await facts(sql`
    audit.store_id = any(${storeIds}::integer[]) and audit.device_id = coalesce(${deviceId ?? null}::integer, audit.device_id)
      and audit.id < coalesce(${before ?? null}::bigint, 9223372036854775807)
    order by audit.id desc limit ${limit}`).execute(db);
  return rows;
}

export async function findAudit(db: Kysely<unknown>, id: string): Promise<AuditFacts | undefined> {
  const { rows } = await facts(sql`audit.id = ${id}::bigint`).execute(db);
  return rows[0];
}

/** The latest audit with a result of each device in its present store, by device id. */
export async function latestResults(
  db: Kysely<unknown>,
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
  return new Map(rows.map((audit) => [audit.device_id, audit]));
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
