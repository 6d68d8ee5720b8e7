import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { runStatement } from '../sql/run-statement.ts';
import type { DB } from '../sql/schema.ts';
import type { Rejection } from './rejected-entries.ts';

/** A rejected message, or part of one; `message` is the index of the message that contains it. */
export interface Rejected extends Rejection {
  readonly message: number;
  readonly deviceId: number;
  readonly topic: string;
}

/** The most rejected messages that are stored for one device. */
export const maxRejectedPerDevice = 10_000;

/**
 * Stores rejected messages, each once however often it is delivered. Returns those that are newly stored, and the indexes of
 * the messages that were not stored because their device has too many. Two writers at the same time can exceed the limit by
 * what they are writing.
 */
export async function storeRejected(
  trx: Kysely<DB>,
  rejected: readonly Rejected[],
): Promise<{ stored: readonly Rejected[]; full: ReadonlySet<number> }> {
  if (rejected.length === 0) return { stored: [], full: new Set() };
  const digests = rejected.map(digestOf);
  const known = await storedDigests(trx, rejected, digests);
  const room = await roomPerDevice(trx, rejected);
  const stored: Rejected[] = [];
  const full = new Set<number>();
  for (const [index, one] of rejected.entries()) {
    const { deviceId, message } = one;
    const key = `${deviceId} ${digests[index]?.toString('hex')}`;
    if (known.has(key)) continue;
    const left = room.get(deviceId) ?? 0;
    if (left <= 0) {
      full.add(message);
      continue;
    }
    room.set(deviceId, left - 1);
    known.add(key);
    stored.push(one);
  }
  await insert(trx, stored);
  return { stored, full };
}

/** Identifies a rejected message of a device. */
function digestOf({ topic, reason, payload }: Rejected): Buffer {
  return createHash('sha256').update(`${topic}\0${reason}\0`).update(payload).digest();
}

async function storedDigests(
  trx: Kysely<DB>,
  rejected: readonly Rejected[],
  digests: readonly Buffer[],
): Promise<Set<string>> {
  const rows = await runStatement<{ deviceId: number; digest: Buffer }>(
    trx,
    `select device_id, digest from rejected_message
     join unnest($1::integer[], $2::bytea[]) as sent (device_id, digest) using (device_id, digest)`,
    [rejected.map(({ deviceId }) => deviceId), digests],
  );
  return new Set(rows.map((row) => `${row.deviceId} ${row.digest.toString('hex')}`));
}

async function roomPerDevice(trx: Kysely<DB>, rejected: readonly Rejected[]): Promise<Map<number, number>> {
  const devices = [...new Set(rejected.map(({ deviceId }) => deviceId))];
  const rows = await runStatement<{ deviceId: number; stored: number }>(
    trx,
    `select device.id as device_id, (
       select count(*)::integer
       from (select from rejected_message where device_id = device.id limit $2) stored
     ) as stored
     from device where device.id = any($1::integer[])`,
    [devices, maxRejectedPerDevice],
  );
  return new Map(rows.map((row) => [row.deviceId, maxRejectedPerDevice - row.stored]));
}

async function insert(trx: Kysely<DB>, rejected: readonly Rejected[]): Promise<void> {
  if (rejected.length === 0) return;
  await runStatement(
    trx,
    `insert into rejected_message (device_id, topic, reason, payload, digest)
     select * from unnest($1::integer[], $2::text[], $3::text[], $4::bytea[], $5::bytea[])
       as rejected (device_id, topic, reason, payload, digest)
     order by device_id, digest
     on conflict (device_id, digest) do nothing`,
    [
      rejected.map(({ deviceId }) => deviceId),
      rejected.map(({ topic }) => topic),
      rejected.map(({ reason }) => reason),
      rejected.map(({ payload }) => payload),
      rejected.map(digestOf),
    ],
  );
}

/** The device has too many rejected messages to store the rest under several reasons. */
export class DeviceFull extends Error {
  override readonly name = 'DeviceFull';
  readonly code = 'device-full';

  constructor() {
    super('too many rejected messages of this device');
  }
}

/**
 * Replaces a rejected message with what is still rejected of it, in the open transaction: the message is deleted if
 * nothing is left, otherwise it gets the new reason, and one more message is stored for each further reason. If it
 * was deleted meanwhile, all reasons are stored as new messages. Throws DeviceFull.
 */
export async function replaceRejected(trx: Kysely<DB>, id: string, left: readonly Rejected[]): Promise<void> {
  const [first, ...others] = left;
  if (first === undefined) {
    await runStatement(trx, 'delete from rejected_message where id = $1', [id]);
    return;
  }
  const { deviceId, reason, payload } = first;
  await runStatement(trx, deleteForTwin, [id, deviceId, digestOf(first)]);
  const updated = await runStatement(trx, update, [id, reason, payload, digestOf(first)]);
  const { full } = await storeRejected(trx, updated.length === 0 ? left : others);
  if (full.size > 0) throw new DeviceFull();
}

/** The rest may be stored already, from another message with the same content. */
const deleteForTwin = `
  delete from rejected_message where id = $1
  and exists (select from rejected_message where device_id = $2 and digest = $3 and id <> $1)`;

const update = 'update rejected_message set reason = $2, payload = $3, digest = $4 where id = $1 returning 1';
