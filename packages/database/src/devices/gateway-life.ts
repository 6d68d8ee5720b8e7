import type { Pool } from 'pg';

/**
 * A gateway tells that it lives: for `lease` ms from now on it is believed that the connections it holds are there.
 * By the database's clock alone, so that no two clocks are compared.
 */
export async function renewGatewayLease(pool: Pool, gatewayId: string, lease: number): Promise<void> {
  await pool.query({ name: 'renew-gateway-lease', text: renew, values: [gatewayId, lease] });
}

const renew = `
  insert into gateway as known (id, seen_at, believed_until)
  values ($1, now(), now() + make_interval(secs => $2::double precision / 1000))
  on conflict (id) do update set seen_at = excluded.seen_at, believed_until = excluded.believed_until`;

/**
 * Forgets the gateways that are no longer believed and of whose connections nothing is left to be told. One that was
 * only stalled writes its row anew. Reads the states of all devices, so it is for the start of a gateway.
 */
export async function forgetDeadGateways(pool: Pool): Promise<void> {
  await pool.query(forget);
}

/** Rows that another one deletes at the same time are left to it. */
const forget = `
  delete from gateway where id in (
    select id from gateway
    where believed_until <= now()
      and not exists (select from device_state where gateway_id = gateway.id and online)
    order by id for update skip locked
  )`;
