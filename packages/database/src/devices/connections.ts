import type { Pool } from 'pg';
import { latestInstant } from '../sql/instant.ts';

/** What a login is checked against. */
export interface DeviceIdentity {
  readonly id: number;
  /** SHA-256 of the secret. */
  readonly secretHash: Buffer;
  /** The secret is no longer valid. */
  readonly revoked: boolean;
}

/**
 * The devices with these serial numbers, exactly as written; retired ones may still deliver their pending crossings.
 */
export async function findDeviceIdentities(
  pool: Pool,
  serials: readonly string[],
): Promise<ReadonlyMap<string, DeviceIdentity>> {
  const { rows } = await pool.query<DeviceIdentity & { serial: string }>({
    name: 'find-device-identities',
    text: `select id, serial, secret_hash as "secretHash", secret_revoked_at is not null as revoked
           from device where serial = any($1::text[])`,
    values: [serials],
  });
  return new Map(rows.map((row) => [row.serial, row]));
}

/**
 * Assigns a number to a new connection of a device to a gateway. The highest number is the newest connection, in
 * whichever process, and only that one can change whether the device is online. Until it does, the device is offline:
 * no process reports the end of a login that fails here.
 */
export async function nextConnectionGeneration(
  pool: Pool,
  deviceId: number,
  gatewayId: string,
): Promise<bigint> {
  const { rows } = await pool.query<{ connection_generation: string }>({
    name: 'next-connection-generation',
    text: `insert into device_state as state (device_id, connection_generation, gateway_id) values ($1, 1, $2)
           on conflict (device_id) do update set
             connection_generation = state.connection_generation + 1,
             gateway_id = excluded.gateway_id,
             online = false,
             online_changed_at = case when state.online then now() else state.online_changed_at end
           returning connection_generation`,
    values: [deviceId, gatewayId],
  });
  return BigInt(rows[0]?.connection_generation ?? 0);
}

/** A connection of a device, as its gateway knows it. */
interface OpenSession {
  readonly deviceId: number;
  readonly generation: bigint;
  /** SHA-256 of the secret it has logged in with. */
  readonly secretHash: Buffer;
}

/** Connections in one statement: few enough that sending them does not delay other work. */
const mostSessions = 1_000;

/**
 * Returns the connections that must end: their device has a newer connection, or its secret was changed or
 * revoked, or the database has no such device or connection, as after a restore.
 */
export async function findEndedSessions<Session extends OpenSession>(
  pool: Pool,
  sessions: readonly Session[],
): Promise<Session[]> {
  const ended: Session[] = [];
  for (let start = 0; start < sessions.length; start += mostSessions) {
    const some = sessions.slice(start, start + mostSessions);
    const { rows } = await pool.query<{ index: number }>({
      name: 'find-ended-sessions',
      text: endedStatement,
      values: [
        some.map(({ deviceId }) => deviceId),
        some.map(({ generation }) => generation.toString()),
        some.map(({ secretHash }) => secretHash),
      ],
    });
    const indexes = new Set(rows.map(({ index }) => index));
    ended.push(...some.filter((_, index) => indexes.has(index)));
  }
  return ended;
}

const endedStatement = `
  select open.position::integer - 1 as index
  from unnest($1::integer[], $2::bigint[], $3::bytea[])
    with ordinality as open (device_id, generation, secret_hash, position)
  left join device on device.id = open.device_id
  left join device_state as state on state.device_id = open.device_id
  where device.secret_hash is distinct from open.secret_hash
    or device.secret_revoked_at is not null
    or state.connection_generation is distinct from open.generation`;

/**
 * Renews the lease of a gateway: for `lease` ms from now, what it reports about its connections is valid. Only the
 * database's clock is used, so that no two clocks are compared.
 */
export async function renewGatewayLease(pool: Pool, gatewayId: string, lease: number): Promise<void> {
  await pool.query({ name: 'renew-gateway-lease', text: renewStatement, values: [gatewayId, lease] });
}

const renewStatement = `
  insert into gateway as known (id, seen_at, believed_until)
  values ($1, now(), now() + make_interval(secs => $2::double precision / 1000))
  on conflict (id) do update set seen_at = excluded.seen_at, believed_until = excluded.believed_until`;

/**
 * Deletes the gateways whose lease has expired and that no online device refers to, without the one that was the last to
 * store messages. One that was only stalled inserts its row again. Reads the states of all devices, so call it only when a
 * gateway starts.
 */
export async function deleteDeadGateways(pool: Pool): Promise<void> {
  await pool.query(deleteStatement);
}

/** Skips rows that another gateway is deleting. Times are ahead of the present if the clock was set back since then. */
const deleteStatement = `
  delete from gateway where id in (
    select id from gateway
    where believed_until not between now() and ${latestInstant}
      and (storing_at is null or storing_at > ${latestInstant} or storing_at < (select max(storing_at) from gateway))
      and not exists (select from device_state where gateway_id = gateway.id and online)
    order by id for update skip locked
  )`;
