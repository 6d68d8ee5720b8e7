import { hashSecret } from '@visitor-counter/database/credentials/credentials';
import type pg from 'pg';

/** Devices of one store. */
export const doorsPerStore = 2;

export const companyName = 'Bench';

/** The token of the four count operations for the company. */
export const countsToken = 'token-of-the-benchmark';

export function unitSerial(index: number): string {
  return `CU-${String(index + 1).padStart(5, '0')}`;
}

export function unitSecret(serial: string): string {
  return `secret-of-${serial}`;
}

/** Fills an empty database: a company, its token, `units` devices, and their stores. */
export async function seedCompany(client: pg.Client, units: number): Promise<void> {
  const serials = Array.from({ length: units }, (_, index) => unitSerial(index));
  const hashes = serials.map((serial) => hashSecret(unitSecret(serial)));
  await client.query('insert into company (name, name_key) values ($1, lower($1))', [companyName]);
  await client.query(
    `insert into credential (company_id, kind, label, hash) select id, 'counts', 'bench', $1 from company`,
    [hashSecret(countsToken)],
  );
  await client.query(
    `insert into store (company_id, sid, name, time_zone)
     select id, n::text, 'Store ' || n, 'Europe/Berlin' from company, generate_series(0, $1::int) n`,
    [Math.floor((units - 1) / doorsPerStore)],
  );
  await client.query(
    `insert into device (company_id, serial, serial_key, name, secret_hash)
     select company.id, serial, lower(serial), serial, hash
     from company, unnest($1::text[], $2::bytea[]) with ordinality given (serial, hash, place) order by place`,
    [serials, hashes],
  );
  await client.query(
    `insert into device_assignment (device_id, since, store_id)
     select device.id, '-infinity', store.id
     from device join store on store.sid = ((device.id - 1) / ${doorsPerStore})::text`,
  );
  await client.query('insert into device_state (device_id) select id from device');
}
