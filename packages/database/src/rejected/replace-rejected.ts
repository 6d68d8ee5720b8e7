import type { ClientBase } from 'pg';
import { digestOf, type Kept, keepRejected, type Rejected } from './keep-rejected.ts';

/** So much is kept for the device that what is left for several reasons cannot be kept apart. */
export class DeviceFull extends Error {
  override readonly name = 'DeviceFull';
  readonly code = 'device-full';

  constructor() {
    super('too many rejected messages of this device');
  }
}

/**
 * Puts what is still rejected of a kept message in its place, in the transaction that is open: the message
 * goes when nothing is left, has a new reason when something is, and for each further reason one is kept
 * beside it. One that is gone meanwhile is not needed for that.
 * Throws DeviceFull.
 */
export async function replaceRejected(
  client: ClientBase,
  id: string,
  left: readonly Rejected[],
): Promise<Kept> {
  const [first, ...others] = left;
  if (first === undefined) {
    await client.query('delete from rejected_message where id = $1', [id]);
    return { kept: [], full: new Set() };
  }
  const { deviceId, reason, payload } = first;
  await client.query(deleteForTwin, [id, deviceId, digestOf(first)]);
  const { rowCount } = await client.query(update, [id, reason, payload, digestOf(first)]);
  const kept = await keepRejected(client, rowCount === 0 ? left : others);
  if (kept.full.size > 0) throw new DeviceFull();
  return kept;
}

/** What is left may be kept already, by another message that brought the same. */
const deleteForTwin = `
  delete from rejected_message where id = $1
  and exists (select from rejected_message where device_id = $2 and digest = $3 and id <> $1)`;

const update = 'update rejected_message set reason = $2, payload = $3, digest = $4 where id = $1';
