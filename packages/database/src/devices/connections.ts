import { sql } from 'kysely';
import { type Db, runStatement } from '../sql/query-builder.ts';

/** What a login is checked against: the SHA-256 of the device's secret, and whether that is no longer valid. */
export type DeviceIdentity = Awaited<ReturnType<typeof findDeviceIdentity>>;

/** The device with this serial number, exactly as written; a retired one may still deliver its pending crossings. */
export async function findDeviceIdentity(db: Db, serial: string) {
  return await db
    .selectFrom('device')
    .select(['id', 'secretHash', sql<boolean>`secret_revoked_at is not null`.as('revoked')])
    .where('serial', '=', serial)
    .executeTakeFirst();
}

/**
 * Records that a device has a new connection to a gateway: from now on only that gateway can change whether the device is
 * online. Until it does, the device is offline: no process reports the end of a login that fails here.
 */
export async function beginConnection(db: Db, deviceId: number, gatewayId: string): Promise<void> {
  await runStatement(db, beginStatement, [deviceId, gatewayId]);
}

const beginStatement = `
  insert into device_state as state (device_id, gateway_id) values ($1, $2)
  on conflict (device_id) do update set gateway_id = excluded.gateway_id, online = false,
    online_changed_at = case when state.online then now() else state.online_changed_at end`;

/** A connection of a device to this gateway. */
interface OpenSession {
  readonly deviceId: number;
  /** SHA-256 of the secret it has logged in with. */
  readonly secretHash: Buffer;
}

/** Connections in one statement: few enough that sending them does not delay other work. */
const mostSessions = 1_000;

/**
 * Returns the connections to a gateway that must end: their device has connected to another one since then, or its secret was
 * changed or revoked, or the database has no such device or connection, as after a restore.
 */
export async function findEndedSessions<Session extends OpenSession>(
  db: Db,
  gatewayId: string,
  sessions: readonly Session[],
): Promise<Session[]> {
  const ended: Session[] = [];
  for (let start = 0; start < sessions.length; start += mostSessions) {
    const some = sessions.slice(start, start + mostSessions);
    const columns = [some.map(({ deviceId }) => deviceId), some.map(({ secretHash }) => secretHash)];
    const rows = await runStatement<{ place: number }>(db, endedStatement, [...columns, gatewayId]);
    const places = new Set(rows.map(({ place }) => place));
    ended.push(...some.filter((_, index) => places.has(index + 1)));
  }
  return ended;
}

const endedStatement = `
  select place
  from unnest($1::integer[], $2::bytea[]) with ordinality as open (device_id, secret_hash, place)
  left join device on device.id = open.device_id
  left join device_state state on state.device_id = open.device_id
  where device.secret_hash is distinct from open.secret_hash
    or device.secret_revoked_at is not null
    or state.gateway_id is distinct from $3`;

/** Ingest counts as unavailable when no gateway has reported for this long (s). */
export const ingestPatience = 10;

interface GatewayReport {
  readonly gatewayId: string;
  /** For how long from now on (ms) what the gateway reports about its connections is valid. */
  readonly lease: number;
  /** Whether it can store messages. */
  readonly isStoring: boolean;
}

/**
 * Records that a gateway runs; repeated every few seconds. Only the database's clock is used, so that no two clocks are
 * compared.
 */
export async function recordGateway(db: Db, { gatewayId, lease, isStoring }: GatewayReport): Promise<void> {
  await runStatement(db, recordStatement, [gatewayId, lease / 1_000, isStoring]);
}

/** The columns about storing are ahead of the present if the clock was set back since then. */
const recordStatement = `
  insert into gateway as known (id, seen_at, believed_until, storing_at, storing_since)
  select $1, now(), now() + make_interval(secs => $2), storing.at, least(storing.at, (
    select min(storing_since) from gateway where storing_at >= now() - interval '${ingestPatience} s'
  ))
  from (select case when $3 then now() end as at) storing
  on conflict (id) do update set seen_at = excluded.seen_at, believed_until = excluded.believed_until,
    storing_at = coalesce(excluded.storing_at, known.storing_at),
    storing_since = case when excluded.storing_at is null then known.storing_since else excluded.storing_since end`;
