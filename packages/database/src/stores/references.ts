import { type RawBuilder, sql } from 'kysely';

/** The id of a company, found by its name key inside a statement. */
export function companyId(companyKey: string): RawBuilder<number> {
  return sql`(select id from company where name_key = ${companyKey})`;
}

/** The id of one of a company's stores. */
export function storeId(companyKey: string, sid: string): RawBuilder<number> {
  return sql`(select id from store where company_id = ${companyId(companyKey)} and sid = ${sid})`;
}

/** The id of a device, found by its serial in exact spelling. */
export function deviceId(serial: string): RawBuilder<number> {
  return sql`(select id from device where serial = ${serial})`;
}

/** An instant (epoch ms, or an infinity) as a timestamptz. */
export function timestamp(instant: number): RawBuilder<Date> {
  const text = Number.isFinite(instant) ? new Date(instant).toISOString() : String(instant);
  return sql`${text}::timestamptz`;
}
