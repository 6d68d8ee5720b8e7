import { TokenBucket } from '@visitor-counter/service/token-bucket';
import { LRUCache } from 'lru-cache';
import type { Sender } from '../ingest/receive.ts';
import type { ListenerLimits } from './connection-limits.ts';

/** The memory of a message in addition to its packet (bytes). */
export const packetOverhead = 256;

/** How often an excess is reported while it lasts (ms). */
const reportEvery = 60_000;

/** Devices whose rates are remembered after their connections; the least recent are evicted. */
const remembered = 20_000;

/** The rate limit of one device. `now` is from `performance.now()`. */
export interface DeviceRate {
  spend(messages: number, bytes: number, now: number): void;
  /** How long nothing should be read from the device (ms). */
  waitFor(now: number): number;
}

/**
 * The rate limits of all devices. A device that connects again continues with the same limit. `onExceeded` is called when a
 * device has used up its bytes, and repeatedly while it continues to.
 *
 * The burst of bytes is more than any unit has after a month without a connection; after it, the device may send as much
 * as some hundred people a second need. So a unit delivers its pending crossings at full speed, and a stolen one cannot
 * fill the database.
 */
export function deviceRates(
  { bytesPerSecond, burstBytes }: Pick<ListenerLimits, 'bytesPerSecond' | 'burstBytes'>,
  onExceeded: (device: Sender) => void,
): (device: Sender) => DeviceRate {
  const buckets = new LRUCache<number, TokenBucket>({ max: remembered });
  const reported = new LRUCache<number, true>({ max: remembered, ttl: reportEvery });
  return (device) => {
    const { deviceId } = device;
    const bucket = buckets.get(deviceId) ?? new TokenBucket(burstBytes, bytesPerSecond, performance.now());
    buckets.set(deviceId, bucket);
    return {
      spend: (messages, bytes, now) => {
        bucket.spend(bytes + packetOverhead * messages, now);
        if (bucket.waitFor(now) === 0 || reported.has(deviceId)) return;
        reported.set(deviceId, true);
        onExceeded(device);
      },
      waitFor: (now) => bucket.waitFor(now),
    };
  };
}
