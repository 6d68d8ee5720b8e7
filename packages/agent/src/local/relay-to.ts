import { decodeCrossings } from '@visitor-counter/wire/crossings-message';
import { decodeHeartbeat } from '@visitor-counter/wire/heartbeat-message';
import type { Uplink } from '../uplink/uplink.ts';
import type { RelayedChannel } from './serve-local.ts';

/**
 * Sends what `deliver` has read from the journal of another unit, for which the server would accept no second connection.
 * Of a heartbeat, only the report about that journal is sent. Resolves with whether the server has acknowledged it.
 */
export async function relayTo(
  uplink: Pick<Uplink, 'send' | 'reportJournal'>,
  channel: RelayedChannel,
  payload: string,
): Promise<boolean> {
  const bytes = Buffer.from(payload);
  if (channel === 'crossings')
    return !('malformed' in decodeCrossings(bytes, Date.now())) && uplink.send('crossings', payload);
  const decoded = decodeHeartbeat(bytes);
  if ('malformed' in decoded) return false;
  const { lost, volatile } = decoded.heartbeat;
  return uplink.reportJournal({ ...(lost && { lost }), ...(volatile && { volatile }) });
}
