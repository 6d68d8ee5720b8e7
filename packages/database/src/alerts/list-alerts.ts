import { sql } from 'kysely';
import { timestamp } from '../sql/instant.ts';
import type { Reader } from '../sql/snapshot.ts';
import type { RuleKind } from '../tables/alerts.ts';

/** An alert as its company sees it. Instants are epoch ms. */
export interface AlertFacts {
  readonly id: string;
  readonly kind: RuleKind;
  /** Null for an alert about the whole company. */
  readonly store_id: number | null;
  readonly serial: string | null;
  readonly about: unknown;
  readonly began_at: number;
  readonly raised_at: number;
  readonly cleared_at: number | null;
  /** The cursor after this alert. */
  readonly place: string;
}

export interface AlertQuery {
  readonly companyId: number;
  readonly storeIds: readonly number[];
  /** Include alerts that are about no store. */
  readonly ofCompany: boolean;
  /** Only alerts that are open, or were cleared at this instant (epoch ms) or later. */
  readonly from: number;
  /** Only alerts after this cursor. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** The alerts of stores, the last raised first, without the tests that operators send. */
export async function listAlerts(db: Reader, query: AlertQuery): Promise<AlertFacts[]> {
  const { companyId, storeIds, ofCompany, from, after, limit } = query;
  const [raised = null, id = null] = after?.split('_') ?? [];
  const { rows } = await sql<AlertFacts>`
    select alert.id, kind, store_id, device.serial, about, ${ms('began_at')} as began_at,
      ${ms('raised_at')} as raised_at, ${ms('cleared_at')} as cleared_at,
      ${raisedMicroseconds} || '_' || alert.id as place
    from alert left join device on device.id = alert.device_id
    where alert.company_id = ${companyId} and kind <> 'test'
      and (store_id = any(${storeIds}::integer[]) or (store_id is null and ${ofCompany}))
      and (cleared_at is null or cleared_at >= ${timestamp(from)}::timestamptz)
      and (${raised}::bigint is null or (${raisedMicroseconds}, alert.id)
        < (${raised}::bigint, ${id}::uuid))
    order by raised_at desc, alert.id desc limit ${limit}`.execute(db);
  return rows;
}

/** Bounded: a bigint has no infinity. */
const raisedMicroseconds = sql.raw(
  `(extract(epoch from least(greatest(raised_at, 'epoch'), '9999-12-30'::timestamptz)) * 1000000)::bigint`,
);

/** Whether `text` has the format of `AlertFacts.place`. */
export function isPlace(text: string): boolean {
  return /^\d{1,18}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

function ms(column: string) {
  return sql.raw(`floor(extract(epoch from ${column}) * 1000)::float8`);
}
