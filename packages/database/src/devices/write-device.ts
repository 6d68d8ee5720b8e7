import { nameKey } from '@visitor-counter/domain/name-key';
import { type Kysely, sql, type Transaction } from 'kysely';
import { requireCrossings } from '../retention/retention.ts';
import type { DB } from '../sql/schema.ts';
import { companyId, deviceId, storeId } from '../stores/stores.ts';

interface NewDevice {
  readonly serial: string;
  readonly name: string;
  readonly secretHash: Buffer;
  /** The sid of its first store, to which it belongs since -infinity. */
  readonly store: string;
}

/** Registers a device, with its first assignment and an empty state. */
export async function insertDevice(
  db: Kysely<DB>,
  companyKey: string,
  { store, ...device }: NewDevice,
): Promise<void> {
  const serialKey = nameKey(device.serial);
  await db
    .with('registered', (cte) =>
      cte
        .insertInto('device')
        .values({ ...device, serialKey, companyId: companyId(companyKey) })
        .returning('id'),
    )
    .with('state', (cte) =>
      cte
        .insertInto('deviceState')
        .columns(['deviceId'])
        .expression((eb) => eb.selectFrom('registered').select('id')),
    )
    .insertInto('deviceAssignment')
    .columns(['deviceId', 'since', 'storeId'])
    .expression((eb) =>
      eb
        .selectFrom('registered')
        .select([
          'id',
          sql<number>`'-infinity'::timestamptz`.as('since'),
          storeId(companyKey, store).as('storeId'),
        ]),
    )
    .execute();
}

/** The fields of a device to change; fields that are left out stay as they are. */
interface DeviceFields {
  readonly name?: string;
  /** A new secret ends a revocation. */
  readonly secretHash?: Buffer;
  readonly retired?: boolean;
}

/** Changes the given fields, at least one. */
export async function updateDevice(
  db: Kysely<DB>,
  serial: string,
  { retired, ...fields }: DeviceFields,
): Promise<void> {
  await db
    .updateTable('device')
    .set({
      ...fields,
      ...(fields.secretHash && { secretRevokedAt: null }),
      ...(retired !== undefined && { retiredAt: retired ? sql<number>`now()` : null }),
    })
    .where('serial', '=', serial)
    .execute();
}

/** Revokes a device's secret, until it gets another one; false if it was revoked before. */
export async function revokeDeviceSecret(db: Kysely<DB>, serial: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('device')
    .set({ secretRevokedAt: sql<number>`now()` })
    .where('serial', '=', serial)
    .where('secretRevokedAt', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

interface Move {
  readonly serial: string;
  /** The sid of the store it belongs to from `since` on. */
  readonly store: string;
  /** Epoch ms; -Infinity for a first assignment. */
  readonly since: number;
  /** When the next assignment begins (epoch ms), Infinity where there is none. */
  readonly until: number;
}

/**
 * Assigns a device to another store of its company. A crossing's instant decides its store, whenever it arrives: the
 * projector moves those that are stored, and corrects the occupancy of both stores. Returns how many they are now. Throws
 * CrossingsRemoved if the device had another store at `since`, and that is before the horizon of the company.
 */
export async function moveDevice(trx: Transaction<DB>, companyKey: string, move: Move): Promise<number> {
  const device = deviceId(move.serial);
  /* A device without a first assignment has no crossings. */
  if (Number.isFinite(move.since)) await requireCrossings(trx, { deviceId: device }, move.since);
  const store = storeId(companyKey, move.store);
  const [since, until] = [instantOrInfinity(move.since), instantOrInfinity(move.until)];
  await trx
    .insertInto('deviceMove')
    .columns(['deviceId', 'storeId', 'since', 'until'])
    .expression((eb) =>
      eb
        .selectFrom('deviceAssignment')
        .select(['deviceId', 'storeId', since.as('since'), until.as('until')])
        .where('deviceId', '=', device)
        .where('deviceAssignment.since', '<=', since)
        .orderBy('deviceAssignment.since', 'desc')
        .limit(1),
    )
    .execute();
  await trx
    .insertInto('deviceAssignment')
    .values({ deviceId: device, since, storeId: store })
    .onConflict((known) => known.columns(['deviceId', 'since']).doUpdateSet({ storeId: store }))
    .execute();
  const { rows } = await sql<{ moving: number }>`
    select count(*) as moving from journal cross join lateral (
      select from crossing
      where journal_id = journal.id and at >= ${since} and at < ${until}
        and store_id > 0 and store_id <> ${store}
      offset 0
    ) moving
    where device_id = ${device}`.execute(trx);
  return rows[0]?.moving ?? 0;
}

function instantOrInfinity(ms: number) {
  const text = Number.isFinite(ms) ? new Date(ms).toISOString() : `${ms > 0 ? '' : '-'}infinity`;
  return sql<number>`${text}::timestamptz`;
}
