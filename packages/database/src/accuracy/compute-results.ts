import { accuracyOf } from '@visitor-counter/domain/accuracy';
import { longestLag, reach } from '@visitor-counter/domain/accuracy-matching';
import type { Crossing, Direction } from '@visitor-counter/domain/crossing';
import { type Kysely, sql } from 'kysely';
import { completenessOfDevice } from '../devices/completeness.ts';
import { deviceFacts } from '../devices/device-facts.ts';
import { epochMs, timestamp } from '../sql/instant.ts';
import type { DB } from '../sql/schema.ts';

/** An audit without a result. Instants are epoch ms. */
interface PendingAudit {
  readonly id: string;
  readonly deviceId: number;
  readonly storeId: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** The crossings of the company before it were removed (epoch ms); null if none were. */
  readonly removedBefore: number | null;
}

/** Audits that one statement reads. */
const atOnce = 500;

/**
 * Computes and stores the results of pending audits whose units have delivered everything up to the last passage, and a
 * little longer, because a unit counts a person a moment after they are seen. For audits whose crossings were removed, it
 * stores that there is no result. With `only`, it considers only the audit with this id. Any number of processes may do
 * this: the first result remains.
 */
export async function computeResults(db: Kysely<DB>, now: number, only?: string): Promise<void> {
  for (let before: string | undefined; ; ) {
    const pending = await pendingAudits(db, before, only);
    before = pending.at(-1)?.id;
    if (before === undefined) return;
    const untilOf = await deliveredUntil(db, pending, now);
    for (const audit of pending) {
      if (isRemoved(audit)) await storeResult(db, audit.id, undefined);
      else if (untilOf(audit) >= audit.lastAt + reach) await computeResult(db, audit);
    }
  }
}

/** The newest audits without a result, of those before an id. */
async function pendingAudits(
  db: Kysely<DB>,
  before: string | undefined,
  only: string | undefined,
): Promise<PendingAudit[]> {
  const { rows } = await sql<PendingAudit>`
    select audit.id, device_id, store_id, ${epochMs('first_at')} as first_at, ${epochMs('last_at')} as last_at,
      ${epochMs("nullif(kept_from(company), '-infinity')")} as removed_before
    from accuracy_audit audit join device on device.id = device_id join company on company.id = company_id
    where not exists (select from accuracy_result where audit_id = audit.id)
      and audit.id = coalesce(${only ?? null}::bigint, audit.id)
      and audit.id < coalesce(${before ?? null}::bigint, 9223372036854775807)
    order by audit.id desc limit ${atOnce}`.execute(db);
  return rows;
}

/** Until when (epoch ms) the unit of an audit has delivered everything; a device that was retired delivers nothing more. */
async function deliveredUntil(db: Kysely<DB>, pending: readonly PendingAudit[], now: number) {
  const { rows } = await sql<{ storeId: number }>`
    select distinct store_id from device_assignment
    where device_id = any(${pending.map(({ deviceId }) => deviceId)}::integer[])`.execute(db);
  const since = Math.min(...pending.map(({ firstAt }) => firstAt));
  const storeIds = rows.map(({ storeId }) => storeId);
  const devices = new Map((await deviceFacts(db, storeIds, now, since)).map((device) => [device.id, device]));
  return ({ deviceId, firstAt }: PendingAudit): number => {
    const device = devices.get(deviceId);
    if (device === undefined) return Number.POSITIVE_INFINITY;
    return completenessOfDevice(device, now, firstAt).completeUntil ?? Number.NEGATIVE_INFINITY;
  };
}

async function computeResult(db: Kysely<DB>, audit: PendingAudit): Promise<void> {
  const passages = await passagesOf(db, audit.id);
  await storeResult(db, audit.id, accuracyOf(passages, await crossingsOf(db, audit)));
}

/** Whether crossings that an audit is compared with were removed. */
function isRemoved({ firstAt, removedBefore: before }: PendingAudit): boolean {
  return before !== null && before > firstAt - longestLag;
}

/** Stores the result of an audit, or that there will be none. */
async function storeResult(
  db: Kysely<DB>,
  id: string,
  result: ReturnType<typeof accuracyOf> | undefined,
): Promise<void> {
  const { lag, in: entries, out: exits } = result ?? { lag: null, in: null, out: null };
  const json = (value: object | null) => value && JSON.stringify(value);
  await sql`
    insert into accuracy_result (audit_id, lag, entries, exits)
    values (${id}, ${lag === null ? null : Math.round(lag)}, ${json(entries)}, ${json(exits)})
    on conflict (audit_id) do nothing`.execute(db);
}

async function passagesOf(db: Kysely<DB>, id: string): Promise<Crossing[]> {
  const { rows } = await sql<{ passages: [at: number, direction: Direction][] }>`
    select passages from accuracy_audit where id = ${id}::bigint`.execute(db);
  return (rows[0]?.passages ?? []).map(([at, direction]) => ({ at, direction }));
}

/** More crossings than a door has while a person watches it. This bounds the work, whatever a unit sends. */
const mostCrossings = 20_000;

async function crossingsOf(
  db: Kysely<DB>,
  { deviceId, storeId, firstAt, lastAt }: PendingAudit,
): Promise<Crossing[]> {
  const { rows } = await sql<Crossing>`
    select ${epochMs('at')} as at, direction from crossing
    where store_id = ${storeId}::integer and device_id = ${deviceId}::integer
      and at >= ${timestamp(firstAt - longestLag)}::timestamptz
      and at <= ${timestamp(lastAt + longestLag)}::timestamptz
    order by at limit ${mostCrossings}`.execute(db);
  return rows;
}
