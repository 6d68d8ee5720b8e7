import type { ClientBase } from 'pg';
import { digestOf, type Kept, type Rejected, storeRejected } from './store-rejected.ts';

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
  const kept = await storeRejected(client, rowCount === 0 ? left : others);
  if (kept.full.size > 0) throw new DeviceFull();
  return kept;
}

/** The rest may be stored already, from another message with the same content. */
const deleteForTwin = `
  delete from rejected_message where id = $1
  and exists (select from rejected_message where device_id = $2 and digest = $3 and id <> $1)`;

const update = 'update rejected_message set reason = $2, payload = $3, digest = $4 where id = $1';
