import { cleanName, nameKey } from '@visitor-counter/domain/name-key';
import { parseInstant } from '@visitor-counter/domain/time';
import { sql } from 'kysely';
import Type, { type Static } from 'typebox';
import { generateSecret, hashSecret } from '../credentials/credentials.ts';
import { requireCrossings } from '../retention/retention.ts';
import { type Db, instant, type Transaction } from '../sql/query-builder.ts';
import type { Owner } from './company.ts';
import { invalid, missing } from './read-entry.ts';
import { lockedRow, type Saved, saveRow } from './save-row.ts';
import { storeIdsOf } from './store.ts';
import { name, ownSid, secret, serial, since, trueOrFalse } from './values.ts';

/** What was moved with a device, and the sid of the store that it was moved from. */
export interface Moved {
  readonly crossings: number;
  readonly from: string;
}

/**
 * Makes a device belong to another store of its company from an instant (epoch ms) on, until its next move; undefined if it
 * belongs to that store then. A crossing's instant decides its store, whenever it arrives: the projector moves those that are
 * stored, and corrects the occupancy of both stores. Throws CrossingsRemoved for an instant before the horizon of the company.
 */
export async function moveDevice(
  trx: Transaction,
  deviceId: number,
  storeId: number,
  since: number,
): Promise<Moved | undefined> {
  const at = sql`${instant(since)}`;
  const { rows: present } = await sql<{ storeId: number; sid: string }>`
    select store_id, sid from store_at(${deviceId}, ${at}) join store on store.id = store_id`.execute(trx);
  const [from] = present;
  if (from === undefined || from.storeId === storeId) return undefined;
  await requireCrossings(trx, { deviceId }, since);
  const { rows } = await sql<{ crossings: number }>`
    with move as (
      insert into device_move (device_id, store_id, since, until)
      select ${deviceId}, ${from.storeId}, ${at}, coalesce(min(since), 'infinity')
      from device_assignment where device_id = ${deviceId} and since > ${at}
      returning until
    ), assigned as (
      insert into device_assignment (device_id, since, store_id) values (${deviceId}, ${at}, ${storeId})
      on conflict (device_id, since) do update set store_id = excluded.store_id
    )
    select count(*) as crossings from move cross join journal cross join lateral (
      select from crossing
      where journal_id = journal.id and at >= ${at} and at < until
        and crossing.store_id > 0 and crossing.store_id <> ${storeId}
      offset 0
    ) moving
    where device_id = ${deviceId}`.execute(trx);
  return { crossings: rows[0]?.crossings ?? 0, from: from.sid };
}

/** A device as it is saved, found by its serial number. Another store moves it, from `since` on, or from now on. */
export const Device = Type.Object({
  serial,
  name: Type.Optional(name),
  store: Type.Optional(ownSid),
  since: Type.Optional(since),
  secret: Type.Optional(secret),
  retired: Type.Optional(trueOrFalse),
});

interface Given extends Static<typeof Device> {
  /** Of a secret that only the unit knows. */
  readonly secretHash?: Buffer;
  /** Whether it cannot log in; another secret ends that as well. */
  readonly revoked?: boolean;
}

/** What saving a device did, and the sid of the store that it was moved from. */
type SavedDevice = Saved & { readonly from?: string };

/** A new device gets a secret if none is given. A new secret ends a revocation. */
export async function saveDevice(trx: Transaction, owner: Owner, given: Given): Promise<SavedDevice> {
  const { serial, store, retired, revoked } = given;
  const key = { serialKey: nameKey(serial) };
  const stored = await lockedRow(trx, 'device', key);
  requireUsable(stored, owner, given);
  const [storeId] = store === undefined ? [] : await storeIdsOf(trx, owner, () => 'store', [store]);
  const isSecretGiven = given.secret !== undefined || given.secretHash !== undefined;
  const secret = stored || isSecretGiven ? undefined : generateSecret();
  const value = given.secret ?? secret;
  const secretHash = value === undefined ? given.secretHash : hashSecret(value);
  const isRenewed = stored !== undefined && isSecretGiven && !secretHash?.equals(stored.secretHash);
  const now = Date.now();
  const values = {
    name: given.name === undefined ? (stored ? undefined : serial) : cleanName(given.name),
    secretHash,
    secretRevokedAt: revoked
      ? (stored?.secretRevokedAt ?? now)
      : isRenewed || revoked === false
        ? null
        : undefined,
    retiredAt: retired === undefined ? undefined : retired ? (stored?.retiredAt ?? now) : null,
  };
  const fields = { secretHash: 'secret', secretRevokedAt: 'secret', retiredAt: 'retired' };
  const identity = stored ? key : { ...key, companyId: owner.id, serial };
  const saved = await saveRow(trx, 'device', { stored, key: identity, values, fields });
  if (stored) return await moved(trx, saved, stored.id, storeId, given.since);
  await place(trx, key.serialKey, storeId ?? 0);
  return { ...saved, ...(secret && { secret }) };
}

function requireUsable(
  stored: { readonly companyId: number; readonly serial: string } | undefined,
  owner: Owner,
  { serial, store, since }: Given,
): void {
  if (stored && stored.companyId !== owner.id)
    throw invalid('serial', serial, 'a serial that no other company has');
  if (stored && stored.serial !== serial)
    throw invalid('serial', serial, `the spelling it is registered with, ${stored.serial}`);
  if (store === undefined && since !== undefined)
    throw missing('store', 'the sid of the store it belongs to since then');
  if (store === undefined && stored === undefined)
    throw missing('store', 'the sid of its store, since this device is new');
}

/** The first store of a new device, and its empty state. */
async function place(trx: Db, serialKey: string, storeId: number): Promise<void> {
  await sql`
    with registered as (select id from device where serial_key = ${serialKey}),
    state as (insert into device_state (device_id) select id from registered)
    insert into device_assignment (device_id, since, store_id)
    select id, '-infinity', ${storeId} from registered`.execute(trx);
}

async function moved(
  trx: Transaction,
  saved: Saved,
  deviceId: number,
  storeId: number | undefined,
  since: string | undefined,
): Promise<SavedDevice> {
  if (storeId === undefined) return saved;
  const at = since === undefined ? Date.now() : (parseInstant(since) ?? Date.now());
  const move = await moveDevice(trx, deviceId, storeId, at);
  return move ? { ...saved, action: 'moved', fields: [...saved.fields, 'store'], ...move } : saved;
}
