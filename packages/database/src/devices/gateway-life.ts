import type { Pool } from 'pg';

/**
 * Renews the lease of a gateway: for `lease` ms from now, what it reports about its connections is valid. Only the
 * database's clock is used, so that no two clocks are compared.
 */
export async function renewGatewayLease(pool: Pool, gatewayId: string, lease: number): Promise<void> {
  await pool.query({ name: 'renew-gateway-lease', text: renew, values: [gatewayId, lease] });
}

const renew = `
  insert into gateway as known (id, seen_at, believed_until)
  values ($1, now(), now() + make_interval(secs => $2::double precision / 1000))
  on conflict (id) do update set seen_at = excluded.seen_at, believed_until = excluded.believed_until`;

/**
 * Deletes the gateways whose lease has expired and that no online device refers to. One that was only stalled inserts
 * its row again. Reads the states of all devices, so call it only when a gateway starts.
 */
export async function deleteDeadGateways(pool: Pool): Promise<void> {
  await pool.query(forget);
}

/** Skips rows that another gateway is deleting. */
const forget = `
  delete from gateway where id in (
    select id from gateway
    where believed_until <= now()
      and not exists (select from device_state where gateway_id = gateway.id and online)
    order by id for update skip locked
  )`;
