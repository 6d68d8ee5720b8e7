import type { BusinessCalendar } from '@visitor-counter/domain/business-day';
import { type Kysely, sql } from 'kysely';
import { heartbeatText } from '../sql/heartbeat-fields.ts';
import type { DB } from '../sql/schema.ts';
import { calendar, joinCurrentStore } from '../stores/stores.ts';
import type { Candidates } from './devices-in-trouble.ts';

/** A store that an alert may be about. */
interface StoreInDoubt {
  readonly storeId: number;
  readonly companyId: number;
  readonly sid: string;
  readonly name: string;
}

/**
 * The stores of companies whose crossings may be missing since `cutoff` (epoch ms): those with a device whose last
 * heartbeat is older or reports pending crossings, and those among `known`.
 */
export async function storesInDoubt(
  db: Kysely<DB>,
  { companyIds, cutoff, known }: Candidates,
): Promise<StoreInDoubt[]> {
  const { rows } = await sql<StoreInDoubt>`
    select store.id as "storeId", store.company_id as "companyId", store.sid, store.name from store
    where store.company_id = any(${companyIds}) and (store.id = any(${known}) or store.id in (
      select current.store_id from device
      join device_state state on state.device_id = device.id
      ${joinCurrentStore()}
      where device.company_id = any(${companyIds}) and device.retired_at is null and (
        state.heartbeat_at <= to_timestamp(${cutoff}::float8 / 1000)
        or ${recorded} <> ${acknowledged}
      )
    ))
    order by store.id`.execute(db);
  return rows;
}

const recorded = sql.raw(heartbeatText('state.heartbeat', 'recorded'));
const acknowledged = sql.raw(heartbeatText('state.heartbeat', 'acknowledged'));

interface StoreWithCapacity extends StoreInDoubt {
  readonly calendar: BusinessCalendar;
  /** The most people who may be in the store at the same time. */
  readonly capacity: number;
}

/** The stores of companies that have a capacity. */
export async function storesWithCapacity(
  db: Kysely<DB>,
  companyIds: readonly number[],
): Promise<StoreWithCapacity[]> {
  const { rows } = await sql<StoreWithCapacity>`
    select id as "storeId", company_id as "companyId", sid, name, capacity, ${calendar}
    from store where company_id = any(${companyIds}::integer[]) and capacity is not null order by id`.execute(
    db,
  );
  return rows;
}
